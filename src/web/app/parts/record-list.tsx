/**
 * A long list of audit records, of which only the part near the screen is in the document: rows have one height, so a
 * chunk that is far away is an empty box as high as its rows. Chunks are cut from the oldest record on, so that a new
 * record changes the first chunk only. They are small, so that no frame of scrolling has to draw many rows.
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { memo } from 'preact/compat'
import { useEffect, useRef } from 'preact/hooks'
import type { AuditRecord } from '../../../kernel/audit-record.ts'
import { addressOf } from '../place.ts'
import { Foreign, shortTime } from './basics.tsx'

/** The style sheet knows the same number. */
const CHUNK = 20
/** Chunks this far outside of the screen are drawn already. */
const MARGIN = '800px'

export function RecordList({ records }: { readonly records: readonly AuditRecord[] }): JSX.Element {
  const first = records.length % CHUNK
  const chunks = Array.from({ length: Math.floor(records.length / CHUNK) }, (_, at) =>
    records.slice(first + at * CHUNK, first + (at + 1) * CHUNK),
  )
  return (
    <div class="records" role="list" aria-label="Records">
      {records.slice(0, first).map((record) => (
        <Row key={record.seq} record={record} />
      ))}
      {chunks.map((chunk) => (
        <Chunk key={chunk.at(-1)?.seq} records={chunk} />
      ))}
    </div>
  )
}

/** One for all chunks: hundreds of observers would each be asked in every frame. */
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) nearness.get(target)?.(isIntersecting)
  },
  { rootMargin: MARGIN },
)
const nearness = new Map<Element, (isNear: boolean) => void>()

function Chunk({ records }: { readonly records: readonly AuditRecord[] }): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const isNear = useSignal(false)
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    nearness.set(element, (near) => (isNear.value = near))
    observer.observe(element)
    return () => {
      nearness.delete(element)
      observer.unobserve(element)
    }
  }, [])
  return (
    <div class="chunk" role="presentation" ref={box}>
      {isNear.value && records.map((record) => <Row key={record.seq} record={record} />)}
    </div>
  )
}

/** Without the whole date, which the record itself shows: thousands of these are drawn while somebody scrolls. */
function RowTime({ iso }: { readonly iso: string }): JSX.Element {
  return <time dateTime={iso}>{shortTime(new Date(iso))}</time>
}

const Row = memo(function Row({ record }: { readonly record: AuditRecord }): JSX.Element {
  const { seq, at, kind, subject } = record
  return (
    <div class="record" role="listitem">
      <a href={addressOf('audit', String(seq))}>
        <RowTime iso={at} /> <code>{kind}</code>{' '}
        {subject !== undefined && <Foreign text={subject} />}
      </a>
    </div>
  )
})
