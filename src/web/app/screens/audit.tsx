/** The audit log: search, one record with its place in the chain, the proof of the whole chain, and an export. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Badge, Card, plural, Shown } from '../parts/basics.tsx'
import { RecordList } from '../parts/record-list.tsx'
import { RecordProof } from '../parts/record-proof.tsx'
import { place } from '../place.ts'
import { type RecordQuery, type Records, useRecords } from '../records.ts'
import { ask } from '../ask.ts'
import { saveFile } from '../save-file.ts'
import { attempt, tellDone } from '../toasts.ts'

const DEBOUNCE_MS = 200

export function Audit(): JSX.Element {
  const query = useSignal<RecordQuery>({})
  const records = useRecords(query.value)
  const seq = Number(place.value.rest[0])
  return (
    <>
      <h1>Audit</h1>
      <Proof />
      <Card title="Records" aside={<Export records={records} />}>
        <Filters onChange={(next) => (query.value = next)} />
        <Shown live={records.live} what="records">
          {() => <List records={records} />}
        </Shown>
      </Card>
      {Number.isSafeInteger(seq) && seq > 0 && <RecordProof key={seq} seq={seq} />}
    </>
  )
}

function List({
  records: { read, isWhole, readMore },
}: {
  readonly records: Records
}): JSX.Element {
  const { length } = read.value
  if (length === 0) return <p class="muted">No record holds that.</p>
  return (
    <>
      <p class="muted" role="status">
        {plural(length, 'record')}, the newest first
      </p>
      <RecordList records={read.value} />
      {!isWhole.value && (
        <p>
          <button type="button" class="quiet" onClick={() => void attempt(readMore)}>
            Show older records
          </button>
        </p>
      )}
    </>
  )
}

/** The same lines as `cordon audit export`, of the records that are shown. */
function Export({ records: { read } }: { readonly records: Records }): JSX.Element {
  const save = (): void => {
    const lines = read.value.toReversed().map((record) => `${JSON.stringify(record)}\n`)
    saveFile('cordon-audit.jsonl', lines.join(''))
    tellDone(`Saved ${plural(lines.length, 'record')}.`)
  }
  return (
    <button type="button" class="quiet" disabled={read.value.length === 0} onClick={save}>
      Export as JSON lines
    </button>
  )
}

const KINDS = [
  'call',
  'approval',
  'grant',
  'servers',
  'egress',
  'vault',
  'setup',
  'flows',
  'memory',
  'web',
]

function Filters({ onChange }: { readonly onChange: (query: RecordQuery) => void }): JSX.Element {
  const text = useSignal('')
  const kind = useSignal('')
  useEffect(() => {
    const words = text.value.trim()
    const timer = setTimeout(() => {
      onChange({
        ...(words !== '' && { text: words }),
        ...(kind.value !== '' && { kind: `${kind.value}.*` }),
      })
    }, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text.value, kind.value])
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        Search
        <input
          type="search"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
          }}
        />
      </label>
      <label>
        About
        <select
          value={kind.value}
          onChange={(event) => {
            kind.value = event.currentTarget.value
          }}
        >
          <option value="">everything</option>
          {KINDS.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </form>
  )
}

function Proof(): JSX.Element {
  const said = useSignal<JSX.Element | undefined>(undefined)
  const verify = (): void =>
    void attempt(async () => {
      const { ok, records, head, problem } = await ask('audit.verify', {})
      said.value = ok ? (
        <p>
          <Badge tone="connected" text="Whole" /> {records} records, each sealed with the hash of
          the one before. Note the last hash to prove it later: <code class="hash">{head}</code>
        </p>
      ) : (
        <p role="alert">
          <Badge tone="error" text="Damaged" /> Record {problem?.seq}: {problem?.message}
        </p>
      )
    })
  return (
    <Card
      title="Proof"
      aside={
        <button type="button" onClick={verify}>
          Check the chain
        </button>
      }
    >
      {said.value ?? (
        <p class="muted">
          Finds any record that was changed, removed or added. Open a record to see its own place in
          the chain.
        </p>
      )}
    </Card>
  )
}
