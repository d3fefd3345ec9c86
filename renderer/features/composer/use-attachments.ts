/** Images and files that go along with the next message. Images go to the model as they are, files into the folder and by path. */
import type { MetonaImage } from '#contracts/metona/metona-request.ts'
import type { Problem } from '#renderer/stores/to-problem.ts'
import { shallowRef, type Ref } from 'vue'

export interface Attachment {
  readonly id: number
  readonly kind: 'image' | 'file'
  readonly name: string
  readonly bytes: number
  readonly mediaType: string
  readonly base64: string
}

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
  remove(id: number): void
  take(): readonly Attachment[]
  restore(attachments: readonly Attachment[]): void
}

export function useAttachments(): Attachments {
  const list = shallowRef<readonly Attachment[]>([])
  let lastId = 0

  async function add(files: readonly File[]): Promise<Problem | undefined> {
    for (const file of files) {
      const held = list.value.reduce((sum, attachment) => sum + attachment.bytes, 0)
      if (file.size + held > MOST_BYTES || list.value.length >= MOST_ATTACHED)
        return { code: 'ATTACHMENT_TOO_LARGE', message: file.name, params: { name: file.name } }
      try {
        const attachment: Attachment = {
          id: ++lastId,
          kind: IMAGES.test(file.type) ? 'image' : 'file',
          name: file.name === '' ? 'file' : file.name,
          bytes: file.size,
          mediaType: file.type,
          base64: await readBase64(file),
        }
        list.value = [...list.value, attachment]
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
    remove: (id) => {
      list.value = list.value.filter((attachment) => attachment.id !== id)
    },
    take: () => {
      const taken = list.value
      list.value = []
      return taken
    },
    restore: (attachments) => {
      list.value = [...attachments, ...list.value]
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
