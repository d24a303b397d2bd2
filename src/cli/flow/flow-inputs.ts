/** The inputs of a flow: from `--input`, from standard input, or from the person at the terminal. */
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { FlowCheck, FlowSource } from '../../ports/flow-port.ts'
import type { Json } from '../../text/json.ts'
import { inputValue } from '../../text/input-value.ts'
import { createAnswers, readPiped } from '../ask.ts'
import type { Terminal } from '../context.ts'

export interface GivenInputs {
  readonly inputs: Readonly<Record<string, Json>>
  readonly stdin?: string
}

type Need = FlowCheck['needs'][number]

/** Parses `--input NAME=VALUE`; the last value of a name counts. */
export function parseInputs(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const at = text.indexOf('=')
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
      throw new CordonError(
        'cli.input',
        { exit: 2, hint: 'Write it like `--input query=TODO`' },
        'Cannot read an input without a name',
      )
    }),
  )
}

interface GivenTexts {
  readonly source: FlowSource
  readonly texts: ReadonlyMap<string, string>
}

/** Converts each text to the type that the flow declares; also returns the inputs that the flow needs. */
export async function typedInputs(
  api: Api,
  { source, texts }: GivenTexts,
  signal: AbortSignal,
): Promise<Pick<GivenInputs, 'inputs'> & Pick<FlowCheck, 'needs'>> {
  const { needs, ir } = await api.call('flows.check', { source }, signal)
  if (texts.size > 0) await refuseUnknown(api, source, [...texts.keys()], signal)
  const types = new Map([
    ...declaredTypes(ir),
    ...needs.map(({ name, type }) => [name, type] as const),
  ])
  const typed = Array.from(texts, ([name, text]) => [
    name,
    inputValue(text, types.get(name) ?? 'any'),
  ])
  return { needs, inputs: Object.fromEntries(typed) as GivenInputs['inputs'] }
}

/** Before anything is asked for: a wrong name is answered with the one that was meant. */
async function refuseUnknown(
  api: Api,
  source: FlowSource,
  given: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { findings } = await api.call('flows.check', { source, given }, signal)
  const unknown = findings.find(({ code }) => code === 'input.unknown')
  if (!unknown) return
  const { message, hint } = unknown
  throw new CordonError(
    'flows.unknown-input',
    { exit: 2, hint },
    `Cannot start the flow: ${message}`,
  )
}

/** Asks the kernel for the inputs of the flow; reads standard input only if the flow takes it. */
export async function gatherInputs(
  api: Api,
  terminal: Terminal,
  flow: GivenTexts,
  signal: AbortSignal,
): Promise<GivenInputs> {
  const { texts } = flow
  const { inputs: typed, needs } = await typedInputs(api, flow, signal)
  const piped = terminal.stdin.isTTY ? undefined : await pipedInto(api, flow, signal)
  const stdin = piped === undefined ? '' : await readPiped(terminal.stdin, signal)
  const isThere = (name: string) => texts.has(name) || (stdin !== '' && name === piped)
  const missing = needs.filter(({ name, required }) => required && !isThere(name))
  const inputs = { ...typed, ...(await askFor(terminal, missing, signal)) }
  return stdin === '' ? { inputs } : { inputs, stdin }
}

/** The types of all declared inputs: an input with a default is not listed as a need. */
function declaredTypes(ir: Json): readonly (readonly [string, string])[] {
  const { inputs = {} } = ir as {
    readonly inputs?: Readonly<Record<string, { readonly type?: string }>>
  }
  return Object.entries(inputs).map(([name, { type = 'any' }]) => [name, type] as const)
}

/** The input that receives standard input; undefined if the flow has none. */
async function pipedInto(
  api: Api,
  { source, texts }: GivenTexts,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (JSON.stringify(source).includes('${stdin')) return 'stdin'
  const { ir } = await api.call(
    'flows.check',
    { source, given: ['stdin', ...texts.keys()] },
    signal,
  )
  const { inputs = {} } = ir as { readonly inputs?: Readonly<Record<string, { stdin?: boolean }>> }
  const found = Object.entries(inputs).find(([, input]) => input.stdin === true)?.[0]
  return found === undefined || texts.has(found) ? undefined : found
}

/** Asks for each missing input in a terminal; without one, they are an error. */
async function askFor(
  terminal: Terminal,
  missing: readonly Need[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, Json>>> {
  if (missing.length === 0) return {}
  if (!terminal.stdin.isTTY || !terminal.stderr.isTTY) throw missingInput(missing)
  using answers = createAnswers(terminal, signal)
  const inputs: Record<string, Json> = {}
  for (const { name, type, description } of missing) {
    const about = description === undefined ? type : `${type}: ${description}`
    inputs[name] = inputValue(await answers.next(`${name} (${about})`, false, signal), type)
  }
  return inputs
}

function missingInput(missing: readonly Need[]): CordonError {
  const list = missing.map(({ name, type }) => `${name} (${type})`).join(', ')
  const flags = missing.map(({ name }) => `--input ${name}=VALUE`).join(' ')
  return new CordonError(
    'flows.missing-input',
    { exit: 2, hint: `Add ${flags}, pipe it in, or run the command in a terminal to be asked` },
    `Cannot start the flow: MISSING_INPUT ${list}`,
  )
}
