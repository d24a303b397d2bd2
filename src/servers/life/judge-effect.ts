/**
 * The effect of a server's tool, with the reason. A sandbox without a network and without a writable path is proof of
 * a read: nothing outside can change. Otherwise the `semantics` of the catalog or the owner count. The server's own
 * claims (the tool's name, its annotations) can only raise the effect, even against the proof: data in the server's
 * memory can be lost. A tool without declared semantics counts as destructive.
 */
import type { Effect } from '../../kernel/effect.ts'
import { later } from '../../labels/label.ts'
import type { Semantics, ServerDefinition, ToolOverride } from '../../kernel/server-definition.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import { nameTokens } from '../../text/name-tokens.ts'
import { overrideOf } from '../tools/override-of.ts'
import { programHashOf } from './launch-hash.ts'
import type { ToolMark } from './tool-marks.ts'

export interface EffectJudgement {
  readonly effect: Effect
  /** Cordon's own sentence, for people. */
  readonly because: string
}

/** A tool with the owner's mark, if it has one that holds for the tool as it is now. */
type Named = Pick<ToolDescription, 'name' | 'annotations'> & { readonly mark?: ToolMark }

export function judgeEffect(definition: ServerDefinition, tool: Named): EffectJudgement {
  const own = overrideOf(definition, tool.name)
  const start = beginning(definition, own, markIn(definition, tool))
  const raised = [...byName(tool), ...(own?.hints === 'ignored' ? [] : byHints(tool))]
  return raised.reduce(stricter, start)
}

const SAID: Readonly<Record<Semantics, Effect>> = {
  read: 'remote-read',
  write: 'write',
  destructive: 'destructive',
  exec: 'exec',
}

/** By whose word the effect of a tool begins, before its name and hints raise it. */
export function sayerOf(
  definition: ServerDefinition,
  tool: Named,
): 'definition' | 'sandbox' | 'mark' | 'unsaid' {
  if (overrideOf(definition, tool.name)?.semantics !== undefined) return 'definition'
  if (markIn(definition, tool) !== undefined) return 'mark'
  return isShutIn(definition) ? 'sandbox' : 'unsaid'
}

/** A mark is for the program that the owner saw: another command or address under the same name has none. */
function markIn(definition: ServerDefinition, { mark }: Named): Semantics | undefined {
  return mark?.program === programHashOf(definition) ? mark.semantics : undefined
}

/** The definition comes first: it holds the catalog's word and the owner's settings, which may be stricter. */
function beginning(
  definition: ServerDefinition,
  own: ToolOverride | undefined,
  mark: Semantics | undefined,
): EffectJudgement {
  const said = own?.semantics ?? mark
  if ((said === undefined || said === 'read') && isShutIn(definition)) {
    const because = 'its sandbox has no network and no writable path'
    return { effect: 'local-read', because }
  }
  if (said === undefined) return { effect: 'destructive', because: 'nobody has said what it does' }
  const sayer = own?.semantics === undefined ? 'you said' : 'its definition says'
  return { effect: SAID[said], because: `${sayer} ${JSON.stringify(said)}` }
}

export function isShutIn({ transport, sandbox, allowedDomains }: ServerDefinition): boolean {
  return (
    transport === 'stdio' &&
    sandbox.mode === 'bwrap' &&
    allowedDomains.length === 0 &&
    sandbox.writePaths.length === 0 &&
    sandbox.keepsData !== true
  )
}

const DESTRUCTIVE = new Set(
  (
    'delete remove drop cancel destroy purge wipe revoke transfer erase truncate trash unlink uninstall ' +
    'terminate kill deactivate discard overwrite rollback'
  ).split(' '),
)
const EXEC = new Set('exec shell eval evaluate terminal bash powershell subprocess'.split(' '))
/** A word of `RUNS` followed by one of `RUNNABLE` says that a command is run; either alone does not. */
const RUNS = new Set(['run', 'execute', 'start', 'spawn'])
const RUNNABLE = new Set('command commands cmd code script process program'.split(' '))

/** A name that sounds destructive is believed: the name is what a person sees first. */
export function judgeName({ name }: Pick<Named, 'name'>): NameJudgement | undefined {
  const words = nameTokens(name)
  const runs = words.some((word, at) => RUNS.has(word) && RUNNABLE.has(words[at + 1] ?? ''))
  if (runs || words.some((word) => EXEC.has(word))) {
    return { says: 'exec', because: 'its name says that it runs commands' }
  }
  const found = words.find((word) => DESTRUCTIVE.has(word))
  if (found === undefined) return undefined
  return { says: 'destructive', because: `its name says ${JSON.stringify(found)}` }
}

interface NameJudgement {
  readonly says: 'exec' | 'destructive'
  readonly because: string
}

function byName(tool: Named): readonly EffectJudgement[] {
  const judged = judgeName(tool)
  return judged ? [{ effect: judged.says, because: judged.because }] : []
}

/** Only annotations that raise the effect count: `readOnlyHint` is a claim, not a proof. */
function byHints({ annotations }: Named): readonly EffectJudgement[] {
  const raised: EffectJudgement[] = []
  if (annotations?.['openWorldHint'] === true) {
    const because = 'its server says that it reaches outside'
    raised.push({ effect: 'remote-read', because })
  }
  if (annotations?.['destructiveHint'] === true) {
    const because = 'its server says that it cannot be taken back'
    raised.push({ effect: 'destructive', because })
  }
  return raised
}

const FROM_HARMLESS: readonly Effect[] = [
  'local-read',
  'remote-read',
  'write',
  'destructive',
  'exec',
]

function stricter(a: EffectJudgement, b: EffectJudgement): EffectJudgement {
  return later(FROM_HARMLESS, a.effect, b.effect) === a.effect ? a : b
}
