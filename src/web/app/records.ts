/**
 * Records of the audit log for one query: the newest page is live, earlier pages are read on demand and kept. A live page
 * that no longer touches the pages that were read before replaces them, so the list never hides a gap.
 */
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Input } from '../../api/contract.ts'
import type { AuditRecord } from '../../kernel/audit-record.ts'
import { ask } from './ask.ts'
import { type Live, useLive } from './live.ts'
import type { Output } from '../../api/contract.ts'

export type RecordQuery = Omit<Input<'audit.search'>, 'limit' | 'before'>

export interface Records {
  readonly live: Live<Output<'audit.search'>>
  /** The newest first. */
  readonly read: ReadonlySignal<readonly AuditRecord[]>
  /** There is none before the last of `read`. */
  readonly isWhole: ReadonlySignal<boolean>
  readonly readMore: () => Promise<void>
}

const FIRST_PAGE = 500
const NEXT_PAGE = 2000

export function useRecords(query: RecordQuery): Records {
  const key = JSON.stringify(query)
  const live = useLive('audit.search', { ...query, limit: FIRST_PAGE }, [
    'approval',
    'call',
    'flows',
    'grant',
    'memory',
    'servers',
    'setup',
    'vault',
  ])
  const read = useSignal<readonly AuditRecord[]>([])
  const isWhole = useSignal(false)
  const newest = live.data.value?.records
  useEffect(() => {
    read.value = []
    isWhole.value = false
  }, [key])
  useEffect(() => {
    if (!newest) return
    const joined = join(newest.toReversed(), read.value)
    if (newest.length < FIRST_PAGE) isWhole.value = true
    else if (joined.length === newest.length) isWhole.value = false
    read.value = joined
  }, [newest])
  const readMore = async (): Promise<void> => {
    const before = read.value.at(-1)?.seq
    if (before === undefined) return
    const { records } = await ask('audit.search', { ...query, before, limit: NEXT_PAGE })
    if (read.value.at(-1)?.seq !== before) return // another query is shown by now
    read.value = [...read.value, ...records.toReversed()]
    isWhole.value = records.length < NEXT_PAGE
  }
  return { live, read, isWhole, readMore }
}

/** Both are sorted, the newest first. */
function join(
  newest: readonly AuditRecord[],
  known: readonly AuditRecord[],
): readonly AuditRecord[] {
  const last = newest.at(-1)?.seq ?? 0
  const isJoined = known.some(({ seq }) => seq >= last)
  return isJoined ? [...newest, ...known.filter(({ seq }) => seq < last)] : newest
}
