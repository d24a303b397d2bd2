/** One record of the audit log, whole, and its place in the chain as the kernel computes it now. */
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { RecordProof as Proof } from '../../../kernel/audit-record.ts'
import { useLive } from '../live.ts'
import { addressOf, go } from '../place.ts'
import { Badge, Shown } from './basics.tsx'

export function RecordProof({ seq }: { readonly seq: number }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const live = useLive('audit.prove', { seq }, [])
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog class="sheet" ref={dialog} aria-label={`Record ${seq}`} onClose={() => go('audit')}>
      <div class="card-head">
        <h2>Record {seq}</h2>
        <form method="dialog">
          <button class="quiet" type="submit">
            Close
          </button>
        </form>
      </div>
      <Shown live={live} what="the record">
        {(proof) => <Whole proof={proof} />}
      </Shown>
    </dialog>
  )
}

function Whole({ proof }: { readonly proof: Proof }): JSX.Element {
  const { record, computed, before, after, problem } = proof
  return (
    <>
      {problem === undefined ? (
        <p>
          <Badge tone="connected" text="Whole" /> Its hash was computed again just now, and both its
          neighbours are tied to it.
        </p>
      ) : (
        <p role="alert">
          <Badge tone="error" text="Damaged" /> Record {record.seq} {problem}.
        </p>
      )}
      <ol class="proof">
        <Tie
          title={record.seq === 1 ? 'The beginning' : `Record ${record.seq - 1}`}
          seq={record.seq - 1}
          rows={[
            ['its hash', before],
            ['as this record holds it', record.prev],
          ]}
        />
        <Tie
          title="This record"
          rows={[
            ['its hash', record.hash],
            ['computed now', computed],
          ]}
        />
        {after === undefined ? (
          <li class="muted">It is the last record.</li>
        ) : (
          <Tie
            title={`Record ${record.seq + 1}`}
            seq={record.seq + 1}
            rows={[
              ['the hash of this record', record.hash],
              ['as that record holds it', after],
            ]}
          />
        )}
      </ol>
      <pre>{JSON.stringify(record, null, 2)}</pre>
    </>
  )
}

interface TieProps {
  readonly title: string
  /** Opens that record; absent for this one, 0 for none. */
  readonly seq?: number
  /** Two hashes that have to be the same. */
  readonly rows: readonly (readonly [string, string | undefined])[]
}

function Tie({ title, seq = 0, rows }: TieProps): JSX.Element {
  const isSame = new Set(rows.map(([, hash]) => hash)).size === 1
  return (
    <li class={isSame ? 'same' : 'other'}>
      <p>
        <span aria-hidden="true">{isSame ? '✓' : '✗'}</span>{' '}
        {seq > 0 ? <a href={addressOf('audit', String(seq))}>{title}</a> : title}
        <span class="visually-hidden">{isSame ? ': the same' : ': not the same'}</span>
      </p>
      <dl>
        {rows.map(([name, hash]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code class="hash">{hash ?? 'cannot be read'}</code>
            </dd>
          </div>
        ))}
      </dl>
    </li>
  )
}
