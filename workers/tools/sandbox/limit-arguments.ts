/** Limits the kernel holds for each process of a command, set by a shell that then becomes the command. */

/** Processes and threads of one command. Root is not bound by it; the command host counts as well. */
export const PROCESS_LIMIT = 1024
/** Seconds of processor time of one process. */
const CPU_SECONDS = 3600
/** In blocks of 512 bytes: 8 GiB. */
const FILE_BLOCKS = 16 * 1024 * 1024

/** Shells differ in the letter for processes. */
const SCRIPT = `ulimit -c 0; ulimit -t ${CPU_SECONDS}; ulimit -f ${FILE_BLOCKS}; ulimit -u ${PROCESS_LIMIT} 2>/dev/null || ulimit -p ${PROCESS_LIMIT}; exec "$@"`

export function limitArguments(argv: readonly string[]): string[] {
  return ['/bin/sh', '-c', SCRIPT, 'sh', ...argv]
}
