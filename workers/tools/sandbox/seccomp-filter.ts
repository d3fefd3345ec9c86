/**
 * A seccomp program for what namespaces do not close off: sockets to the host of a virtual machine, the kernel's
 * keyrings, and parts of the kernel that commands have no use for and attackers do.
 */

interface Architecture {
  readonly audit: number
  readonly socket: number
  readonly ioctl: number
  /** Calls with numbers from here on belong to another convention. */
  readonly foreignFrom: number | undefined
  readonly refused: readonly number[]
}

/** io_uring, and the calls that make mounts, have one number everywhere. */
const SHARED = [425, 426, 427, 428, 429, 430, 431, 432, 433, 442]

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    socket: 41,
    ioctl: 16,
    foreignFrom: 0x40000000,
    // add_key request_key keyctl · bpf perf_event_open userfaultfd · kexec modules · mount umount pivot_root setns · swap reboot acct quotactl · open_by_handle_at
    refused: [248, 249, 250, 321, 298, 323, 246, 320, 175, 313, 176, 165, 166, 155, 308, 167, 168, 169, 163, 179, 304, ...SHARED],
  },
  arm64: {
    audit: 0xc00000b7,
    socket: 198,
    ioctl: 29,
    foreignFrom: undefined,
    refused: [217, 218, 219, 280, 241, 282, 104, 294, 105, 273, 106, 40, 39, 41, 268, 224, 225, 142, 89, 60, 265, ...SHARED],
  },
}

const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]
const ALLOW = 0x7fff0000
const errno = (code: number): number => 0x00050000 | code
/** Local, IPv4, IPv6, netlink: the network namespace holds these. */
const FAMILIES = [1, 2, 10, 16]
/** Types input into a terminal. */
const REFUSED_IOCTLS = [0x5412, 0x541c]

const [LOAD, EQUAL, ATLEAST, RETURN] = [0x20, 0x15, 0x35, 0x06]
/** Offsets in what the kernel shows of a call. */
const [NUMBER, ARCH, FIRST_ARGUMENT, SECOND_ARGUMENT] = [0, 4, 16, 24]

/** @returns the program as the kernel reads it, in base64; undefined for a processor it is not written for. */
export function seccompFilter(architecture: string = process.arch): string | undefined {
  const machine = ARCHITECTURES[architecture]
  if (machine === undefined) return undefined
  const program: [code: number, yes: number, no: number, value: number][] = []
  const add = (code: number, value: number, yes = 0, no = 0): void => void program.push([code, yes, no, value])
  const refuse = (code: number): void => add(RETURN, errno(code))

  add(LOAD, ARCH)
  add(EQUAL, machine.audit, 1, 0)
  refuse(EPERM)
  add(LOAD, NUMBER)
  if (machine.foreignFrom !== undefined) {
    add(ATLEAST, machine.foreignFrom, 0, 1)
    refuse(ENOSYS)
  }
  for (const call of machine.refused) {
    add(EQUAL, call, 0, 1)
    // Programs have another way where io_uring is missing, but none where it is forbidden.
    refuse(call >= 425 && call <= 427 ? ENOSYS : EPERM)
  }
  add(EQUAL, machine.socket, 0, FAMILIES.length + 3)
  add(LOAD, FIRST_ARGUMENT)
  FAMILIES.forEach((family, index) => add(EQUAL, family, FAMILIES.length - index, 0))
  refuse(EAFNOSUPPORT)
  add(RETURN, ALLOW)
  add(EQUAL, machine.ioctl, 0, REFUSED_IOCTLS.length + 3)
  add(LOAD, SECOND_ARGUMENT)
  REFUSED_IOCTLS.forEach((request, index) => add(EQUAL, request, REFUSED_IOCTLS.length - index, 0))
  add(RETURN, ALLOW)
  refuse(EPERM)
  add(RETURN, ALLOW)

  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, yes, no, value], index) => {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(yes, index * 8 + 2)
    bytes.writeUInt8(no, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  })
  return bytes.toString('base64')
}
