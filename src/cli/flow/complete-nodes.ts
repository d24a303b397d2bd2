/** Completion of nodes and their flags, by the running kernel. Never starts a kernel. */
import { completeNames, PLAIN } from '../complete-names.ts'
import type { Surface } from '../context.ts'

/** The part of the completion library to which nodes are added. */
interface Words {
  readonly commands: ReadonlyMap<string, unknown>
  command(value: string, description: string): unknown
}

/** Tells the shell that no file name fits here. */
const NO_FILES = ':4'

/** Adds nodes to the commands if the first word is completed; inside a flow, prints the candidates and returns true. */
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
  const names = await completeNames(surface, words)
  if (names) return print(surface, names)
  if (first !== 'run' && isCommand(known, first)) return false
  const candidates = await candidatesFor(surface, first === 'run' ? rest : words)
  if (candidates.length === 0) return first !== 'run'
  return print(surface, candidates)
}

function print({ terminal }: Surface, candidates: readonly string[]): true {
  terminal.stdout.write([...candidates.map((one) => `${one}\t`), NO_FILES, ''].join('\n'))
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
    // `>>` would be a redirection for the shell, so `then` is offered. Names that a shell would evaluate are left out.
    return candidates.map((one) => (one === '>>' ? 'then' : one)).filter((one) => PLAIN.test(one))
  } catch {
    return [] // a failed completion stays silent: the person only pressed a key
  }
}

/** Restores the quotes that the shell has removed; a flow needs them. */
function flowWord(word: string): string {
  if (/^[\w@%+=:,./${}[\]-]+$/.test(word)) return word
  return `"${word.replace(/["\\]/g, String.raw`\$&`)}"`
}
