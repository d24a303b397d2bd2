/**
 * A small assembler for classic BPF, the language of seccomp filters: a jump names a label, and jumps only go forward.
 * Knows nothing of system calls.
 */
export type BpfLine =
  | { readonly kind: 'label'; readonly name: string }
  | { readonly kind: 'step'; readonly code: number; readonly value: number; readonly jumps: Jumps }

interface Jumps {
  /** Labels to jump to if the test holds or does not; absent: the next line. */
  readonly yes?: string
  readonly no?: string
}

const LOAD_WORD = 0x20
const KEEP_BITS = 0x54
const IF_EQUAL = 0x15
const IF_AT_LEAST = 0x35
const IF_ANY_BIT = 0x45
const RETURN = 0x06

const STEP_BYTES = 8
const LONGEST_JUMP = 255

export const label = (name: string): BpfLine => ({ kind: 'label', name })
export const load = (offset: number): BpfLine => step(LOAD_WORD, offset)
export const keepBits = (mask: number): BpfLine => step(KEEP_BITS, mask)
export const give = (verdict: number): BpfLine => step(RETURN, verdict)
export const ifEqual = (value: number, jumps: Jumps): BpfLine => step(IF_EQUAL, value, jumps)
export const ifAtLeast = (value: number, jumps: Jumps): BpfLine => step(IF_AT_LEAST, value, jumps)
export const ifAnyBit = (mask: number, jumps: Jumps): BpfLine => step(IF_ANY_BIT, mask, jumps)

function step(code: number, value: number, jumps: Jumps = {}): BpfLine {
  return { kind: 'step', code, value, jumps }
}

/** The program as the kernel reads it: `struct sock_filter[]`, little-endian. */
export function assemble(lines: readonly BpfLine[]): Buffer {
  const labels = new Map<string, number>()
  const steps: Extract<BpfLine, { kind: 'step' }>[] = []
  for (const line of lines) {
    if (line.kind === 'label') labels.set(line.name, steps.length)
    else steps.push(line)
  }
  const bytes = Buffer.alloc(steps.length * STEP_BYTES)
  for (const [index, { code, value, jumps }] of steps.entries()) {
    const at = index * STEP_BYTES
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt8(distance(labels, index, jumps.yes), at + 2)
    bytes.writeUInt8(distance(labels, index, jumps.no), at + 3)
    bytes.writeUInt32LE(value, at + 4)
  }
  return bytes
}

function distance(
  labels: ReadonlyMap<string, number>,
  from: number,
  target: string | undefined,
): number {
  if (target === undefined) return 0
  const jump = (labels.get(target) ?? Number.NaN) - from - 1
  if (jump >= 0 && jump <= LONGEST_JUMP) return jump
  throw new Error(`no way from step ${from} to ${JSON.stringify(target)}`)
}
