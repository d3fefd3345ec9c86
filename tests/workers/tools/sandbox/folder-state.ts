/** Everything in a folder as one text a line: kind, rights, links, content. The oracle of what a command changed. */
import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join, relative } from 'node:path'

export async function folderState(root: string, leftOut: (path: string) => boolean = () => false): Promise<string[]> {
  const lines: string[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name)
      const shown = relative(root, path)
      if (leftOut(shown)) continue
      const state = await lstat(path)
      const mode = (state.mode & 0o7777).toString(8)
      if (state.isSymbolicLink()) lines.push(`${shown} -> ${await readlink(path)}`)
      else if (state.isDirectory()) {
        lines.push(`${shown}/ ${mode}`)
        await walk(path)
      } else if (state.isFile())
        lines.push(
          `${shown} ${mode} ${createHash('sha256')
            .update(await readFile(path))
            .digest('hex')
            .slice(0, 12)}`,
        )
      else lines.push(`${shown} special`)
    }
  }
  await walk(root)
  return lines
}
