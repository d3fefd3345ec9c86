/** What a client does with memories. The same as the storage worker's own methods: nothing is added on the way. */
import { memoryMethods } from '../storage/memory-methods.ts'

export const memoryCommands = {
  'memory.list': memoryMethods.memoryList,
  'memory.add': memoryMethods.memoryAdd,
  'memory.update': memoryMethods.memoryUpdate,
  'memory.delete': memoryMethods.memoryDelete,
  'memory.search': memoryMethods.memorySearch,
  'memory.recalls': memoryMethods.memoryRecalls,
  'memory.file': memoryMethods.memoryFileRead,
  'memory.changeFile': memoryMethods.memoryFileChange,
}
