/** What the page keeps in the profile. The same as the storage worker's own methods. Part of `commands`. */
import { pageStateMethods } from '../storage/page-state-methods.ts'

export const pageCommands = {
  'page.read': pageStateMethods.pageStateRead,
  'page.write': pageStateMethods.pageStateWrite,
}
