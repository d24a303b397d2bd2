/**
 * Records refusals that an honest page never causes, such as a foreign Host or Origin. Never more than ten records a minute: a
 * website that hammers the port must not fill the audit log.
 */
import type { Audit, Log } from '../kernel/ports.ts'
import { type PrincipalId, parsePrincipalId } from '../kernel/principal.ts'
import { createRateLimit } from '../text/rate-limit.ts'

const ALARMING: ReadonlySet<string> = new Set([
  'web.host',
  'web.origin',
  'web.fetch-site',
  'web.csrf',
  'web.link',
])
const STRANGER: PrincipalId = parsePrincipalId('principal:third-party:browser')

export type Alarm = (code: string) => void

interface AlarmParts {
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly now: () => number
}

export function createAlarm({ audit, log, now }: AlarmParts): Alarm {
  const mayWrite = createRateLimit({ atOnce: 10, perSecond: 10 / 60 }, now)
  let unwritten = 0
  return (code) => {
    if (!ALARMING.has(code)) return
    if (!mayWrite()) {
      unwritten += 1
      return
    }
    const details = unwritten > 0 ? { details: { unwritten } } : {}
    try {
      audit.append({ kind: 'web.refused', principal: STRANGER, subject: code, ...details })
      unwritten = 0
    } catch (error) {
      // An audit log that takes no records must not prevent the refusal.
      log.error('Cannot record a refusal', { error })
    }
  }
}
