export const model = {
  pick: 'Model',
  none: 'Choose a model',
  search: 'Search models',
  empty: 'No model matches.',
  demo: 'Demonstration: needs no key and no network',
  window: '{value} context',
  thinking: 'thinks',
  images: 'sees images',
  noTools: 'no tools',
  refresh: 'Ask the providers again',
  addKey: 'Add a key…',
  loading: 'Asking the providers',
}
