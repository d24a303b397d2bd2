/** Completion of nodes and their flags, asked of the kernel that runs. Where none does, nothing is started for it. */
import type { Surface } from '../context.ts'

/** Where completed words come from that are no commands. */
interface Words {
  readonly commands: ReadonlyMap<string, unknown>
  command(value: string, description: string): unknown
}

/** Shells are told that no file name fits here. */
const NO_FILES = ':4'

/** Adds nodes to the commands where the first word is typed; answers itself, and returns true, inside a flow. */
export async function completeNodes(
  known: Words,
  surface: Surface,
  args: readonly string[],
): Promise<boolean> {
  const words = args[0] === '--' ? args.slice(1) : args
  const [first = '', ...rest] = words
  if (rest.length === 0) {
    for (const candidate of await candidatesFor(surface, words)) known.command(candidate, 'a node')
    return false
  }
  if (first !== 'run' && isCommand(known, first)) return false
  const candidates = await candidatesFor(surface, first === 'run' ? rest : words)
  if (candidates.length === 0) return first !== 'run'
  surface.terminal.stdout.write([...candidates.map((one) => `${one}\t`), NO_FILES, ''].join('\n'))
  return true
}

function isCommand({ commands }: Words, word: string): boolean {
  return [...commands.keys()].some((name) => name.split(' ')[0] === word)
}

async function candidatesFor(
  surface: Surface,
  words: readonly string[],
): Promise<readonly string[]> {
  try {
    await using api = await surface.findKernel()
    if (!api) return []
    const text = [...words.slice(0, -1).map(flowWord), words.at(-1) ?? ''].join(' ')
    const { candidates } = await api.call('flows.complete', { text }, AbortSignal.timeout(2000))
    // A shell would take the sign for itself. A name that it would evaluate is the work of a server, and is not offered.
    return candidates.map((one) => (one === '>>' ? 'then' : one)).filter((one) => PLAIN.test(one))
  } catch {
    return [] // somebody pressed a key; there is nothing they could do about it
  }
}

/** What every shell takes as it is. */
const PLAIN = /^[\w@%+=:,./-]+$/

/** The shell has taken the quotes away; a flow needs them. */
function flowWord(word: string): string {
  if (/^[\w@%+=:,./${}[\]-]+$/.test(word)) return word
  return `"${word.replace(/["\\]/g, String.raw`\$&`)}"`
}
