/** Style sheets are imported for their effect only; Vite makes files of them. */
declare module '*.css'
