/**
 * Tools that changed since they were accepted: old and new definition as one text, with the words that differ marked. The
 * owner accepts the hash of exactly what is shown; a definition that is another by then is refused.
 */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { showDefinition } from '../../../text/show-definition.ts'
import type { ToolChange } from '../../../text/tool-change.ts'
import { type DiffPiece, wordDiff } from '../../../text/word-diff.ts'
import { ask } from '../ask.ts'
import { useLive } from '../live.ts'
import { Badge, Card, Foreign, plural, Shown } from '../parts/basics.tsx'
import { attempt, tellDone } from '../toasts.ts'

interface ChangesProps {
  readonly server: string
  readonly onAccepted: () => void
}

export function ToolChanges({ server, onAccepted }: ChangesProps): JSX.Element {
  const live = useLive('mcp.changes', { server }, ['servers'])
  const accept = (changes: readonly ToolChange[]): void =>
    void attempt(async () => {
      const tools = Object.fromEntries(changes.map(({ name, hash }) => [name, hash]))
      await ask('mcp.accept', { server, tools })
      tellDone(`Accepted ${plural(changes.length, 'tool')}.`)
      onAccepted()
    }).then(() => live.reload())
  return (
    <Card title="Quarantined">
      <Shown live={live} what="changes">
        {({ changes }) => (
          <>
            <p>
              {plural(changes.length, 'tool')} cannot be called until you accept what is shown here.
              Words that are gone are struck out, new ones are underlined.
            </p>
            {changes.map((change) => (
              <Change key={change.name} change={change} onAccept={() => accept([change])} />
            ))}
            {changes.length > 1 && (
              <p>
                <button type="button" class="quiet" onClick={() => accept(changes)}>
                  Accept all {changes.length}
                </button>
              </p>
            )}
          </>
        )}
      </Shown>
    </Card>
  )
}

interface ChangeProps {
  readonly change: ToolChange
  readonly onAccept: () => void
}

function Change({ change, onAccept }: ChangeProps): JSX.Element {
  const { name, before, now, hash, isHeld } = change
  const pieces = useMemo(
    () =>
      shortened(
        wordDiff(
          before ? showDefinition(before).join('\n') : '',
          now ? showDefinition(now).join('\n') : '',
        ),
      ),
    [hash],
  )
  return (
    <section class="change" aria-label={`Change of ${name}`}>
      <h3>
        <code>
          <Foreign text={name} />
        </code>{' '}
        <Badge tone="locked" text={kindOf(change)} />
      </h3>
      {!isHeld && <Difference pieces={pieces} />}
      <p class="answers">
        <button type="button" onClick={onAccept}>
          Accept
        </button>
        <span class="muted hash">
          as <code>{hash}</code>
        </span>
      </p>
    </section>
  )
}

function kindOf({ before, now, isHeld }: ToolChange): string {
  if (isHeld) return 'quarantined by you, unchanged'
  if (!now) return 'gone'
  return before ? 'changed' : 'new, or what it was is not known'
}

function Difference({ pieces }: { readonly pieces: readonly DiffPiece[] }): JSX.Element {
  return (
    <pre class="difference">
      {pieces.map(({ kind, text }, at) => {
        if (kind === 'gone') return <del key={at}>{text}</del>
        return kind === 'new' ? <ins key={at}>{text}</ins> : <span key={at}>{text}</span>
      })}
    </pre>
  )
}

/** Unchanged lines that are kept on each side of a change. */
const CONTEXT = 3

/** Long unchanged parts are cut in their middle; nothing that changed is ever left out. */
function shortened(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
  return pieces.map((piece, at) => {
    const lines = piece.text.split('\n')
    if (piece.kind !== 'same' || lines.length <= 2 * CONTEXT + 1) return piece
    const head = at === 0 ? [] : lines.slice(0, CONTEXT)
    const tail = at === pieces.length - 1 ? [] : lines.slice(-CONTEXT)
    return { kind: 'same', text: [...head, '…', ...tail].join('\n') }
  })
}
