export const message = {
  interrupted: 'Interrupted',
  imageNotLoaded: 'Image not loaded: {alt}',
  copyCode: 'Copy code',
}
