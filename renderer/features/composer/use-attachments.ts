/** Images and files that go along with the next message. Images go to the model as they are, files into the folder and by path. */
import type { MetonaImage } from '#contracts/metona/metona-request.ts'
import { useDraftFilesStore, type Attachment } from '#renderer/stores/draft-files.ts'
import type { Problem } from '#renderer/stores/to-problem.ts'
import { computed, watch, type Ref } from 'vue'

/** What one message to the host can carry, with room for the rest of it. */
const MOST_BYTES = 9 * 1024 * 1024
const MOST_ATTACHED = 20
/** Longer pasted text becomes a file: nobody reads it in a field of ten lines. */
export const LONG_TEXT = 32 * 1024
const IMAGES = /^image\/(?:png|jpeg|gif|webp)$/

export interface Attachments {
  readonly list: Readonly<Ref<readonly Attachment[]>>
  /** Resolves with why a file could not be taken along. */
  add(files: readonly File[]): Promise<Problem | undefined>
  remove(id: string): void
  take(): readonly Attachment[]
  restore(key: string, attachments: readonly Attachment[]): void
}

/** @param draftKey whose next message they go along with */
export function useAttachments(draftKey: Readonly<Ref<string>>): Attachments {
  const files = useDraftFilesStore()
  const list = computed(() => files.get(draftKey.value))
  watch(draftKey, (key) => void files.load(key), { immediate: true })

  async function add(chosen: readonly File[]): Promise<Problem | undefined> {
    const key = draftKey.value
    for (const file of chosen) {
      const held = files.get(key).reduce((sum, attachment) => sum + attachment.bytes, 0)
      if (file.size + held > MOST_BYTES || files.get(key).length >= MOST_ATTACHED)
        return { code: 'ATTACHMENT_TOO_LARGE', message: file.name, params: { name: file.name } }
      try {
        const attachment: Attachment = {
          id: crypto.randomUUID(),
          kind: IMAGES.test(file.type) ? 'image' : 'file',
          name: file.name === '' ? 'file' : file.name,
          bytes: file.size,
          mediaType: file.type,
          base64: await readBase64(file),
        }
        files.set(key, [...files.get(key), attachment])
      } catch {
        // A folder, or a file that went meanwhile.
        return { code: 'ATTACHMENT_UNREADABLE', message: file.name, params: { name: file.name } }
      }
    }
    return undefined
  }

  return {
    list,
    add,
    remove: (id) =>
      files.set(
        draftKey.value,
        list.value.filter((attachment) => attachment.id !== id),
      ),
    take: () => {
      const taken = list.value
      if (taken.length > 0) files.set(draftKey.value, [])
      return taken
    },
    restore: (key, attachments) => {
      if (attachments.length > 0) files.set(key, [...attachments, ...files.get(key)])
    },
  }
}

export const imagesOf = (attachments: readonly Attachment[]): MetonaImage[] =>
  attachments.filter(({ kind }) => kind === 'image').map(({ mediaType, base64 }) => ({ mediaType, data: base64 }))

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('error', () => reject(reader.error ?? new Error('unreadable')))
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')))
    reader.readAsDataURL(file)
  })
}
