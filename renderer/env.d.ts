/** Style sheets are imported for their effect only; Vite makes files of them. */
declare module '*.css'

/** The address of a worker's built script. */
declare module '*?worker&url' {
  const address: string
  export default address
}
