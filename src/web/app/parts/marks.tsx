/**
 * The effects that the tools of one server claim, and the owner's word on it. Every answer names the list that is shown, so that
 * a list which changed meanwhile is refused.
 */
import type { JSX } from 'preact'
import type { MarkChange, ProposedTool, ToolProposal } from '../../../kernel/tool-proposal.ts'
import type { Semantics } from '../../../kernel/server-definition.ts'
import { useLive } from '../live.ts'
import { ask } from '../ask.ts'
import { attempt } from '../toasts.ts'
import { plural, Shown } from './basics.tsx'

/** More are not drawn; the command line shows them all. */
const MOST_SHOWN = 300

const CHOICES: readonly (readonly [Semantics | '', string])[] = [
  ['', 'ask me each time'],
  ['read', 'only reads'],
  ['write', 'changes things'],
  ['destructive', 'cannot be undone'],
  ['exec', 'runs commands'],
]

const SAYERS = {
  definition: 'its definition says so',
  sandbox: 'its sandbox proves it',
  mark: 'you said so',
} as const

const SEMANTICS: Readonly<Record<ProposedTool['effect'], Semantics>> = {
  'local-read': 'read',
  'remote-read': 'read',
  write: 'write',
  destructive: 'destructive',
  exec: 'exec',
}

export function Marks({ server }: { readonly server: string }): JSX.Element {
  const live = useLive('tools.proposal', { server }, ['servers'])
  const mark = (set: string, change: MarkChange): void =>
    void attempt(async () => {
      await ask('tools.mark', { server, set, change })
      await live.reload()
    })
  return (
    <Shown live={live} what="tools">
      {(read) => <Proposal proposal={read} onMark={mark} />}
    </Shown>
  )
}

interface ProposalProps {
  readonly proposal: ToolProposal
  readonly onMark: (set: string, change: MarkChange) => void
}

function Proposal({
  proposal: { server, set, summary, tools },
  onMark,
}: ProposalProps): JSX.Element {
  const isOffered = tools.some(
    ({ by, doubt, isWaiting }) => by === 'unsaid' && doubt === undefined && !isWaiting,
  )
  const rest = tools.length - MOST_SHOWN
  return (
    <>
      <p>{summary === undefined ? 'Somebody has spoken for every tool.' : `${summary}.`}</p>
      {isOffered && (
        <p class="muted">
          You are asked before each call of these. Take them for what their server says they are, or
          choose for each one.
        </p>
      )}
      {isOffered && (
        <p>
          <button type="button" onClick={() => onMark(set, { kind: 'as-said' })}>
            Take them so
          </button>
        </p>
      )}
      <ul class="tools">
        {tools.slice(0, MOST_SHOWN).map((tool) => (
          <Tool key={tool.name} tool={tool} onMark={(change) => onMark(set, change)} />
        ))}
      </ul>
      {rest > 0 && (
        <p>
          And {plural(rest, 'more tool')}: <code>cordon tools mark {server} --list</code>
        </p>
      )}
    </>
  )
}

function Tool({
  tool,
  onMark,
}: {
  readonly tool: ProposedTool
  readonly onMark: (change: MarkChange) => void
}): JSX.Element {
  const { name, by, effect, doubt, because, says, isWaiting } = tool
  const why = by === 'unsaid' ? `${says}? ${doubt ?? because}` : SAYERS[by]
  const isFixed = by === 'sandbox' || isWaiting
  const choose = (value: string): void => {
    const semantics = CHOICES.find(([choice]) => choice === value)?.[0]
    const tools = [name]
    onMark(semantics ? { kind: 'effect', effect: semantics, tools } : { kind: 'clear', tools })
  }
  return (
    <li class={doubt === undefined ? '' : 'doubtful'}>
      <label>
        <code>{name}</code>{' '}
        {!isFixed && (
          <select
            value={by === 'unsaid' ? '' : SEMANTICS[effect]}
            onChange={(event) => choose(event.currentTarget.value)}
          >
            {CHOICES.filter(([value]) => value !== '' || by !== 'definition').map(
              ([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ),
            )}
          </select>
        )}
      </label>
      <span class="muted">{isWaiting ? 'waits to be accepted' : why}</span>
    </li>
  )
}
