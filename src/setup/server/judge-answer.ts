/**
 * Judges whether a test call shows that a credential works. Servers report a refused token in many ways, also as a
 * result that calls itself a success. A failure that does not say so is never blamed on the credential.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import type { OwnResult } from '../../kernel/own-call.ts'

type Judgement =
  | { readonly kind: 'good' }
  | { readonly kind: 'unauthorized'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

const REFUSED =
  /\b40[13]\b|\bunauthori[sz]ed\b|\bunauthenticated\b|\bforbidden\b|\bauthentication (?:failed|required|error)|\bbad credentials\b|\b(?:invalid|expired|revoked|incorrect|wrong|missing)[ _-](?:\w+[ _-])?(?:token|key|credentials?|auth|secret|password|grant)\b|\b(?:token|key|credentials?|secret)\b[^.]{0,40}\b(?:is|are|was|has|have)?\s*(?:been )?(?:not valid|invalid|expired|revoked|incorrect)\b|\bnot_authed\b|\bauth_failed\b|\binvalid_auth\b|\btoken_(?:expired|revoked)\b|\baccount_inactive\b|\bcheck your api key\b/i
/** Cordon's own proxy answers 403 for a host that is not on the allow-list. */
const OWN_PROXY = /\bproxy\b|\btunnel/i

/** A refusal stands at the beginning of an answer; the rest is not searched. */
const MOST_READ = 2000

/** Cordon's own error codes for a void credential: only the person can give another one. */
const VOID: ReadonlySet<string> = new Set([
  'call.unauthorized',
  'servers.unauthorized',
  'setup.needs-authorization',
  'setup.token-damaged',
  'vault.expired',
])

export function isCredentialRefused(code: string): boolean {
  return VOID.has(code)
}

/** Whether a server's own text says that the credential was refused. */
export function isRefusal(text: string): boolean {
  return REFUSED.test(text) && !OWN_PROXY.test(text)
}

export function judgeAnswer(result: OwnResult): Judgement {
  if (result.kind === 'failed' && result.code !== undefined) {
    return {
      kind: isCredentialRefused(result.code) ? 'unauthorized' : 'failed',
      reason: result.reason,
    }
  }
  if (result.kind !== 'ok') return judge([result.reason])
  const body = bodyOf(result.value)
  return body && isError(body) ? judge(wordsOf(body)) : { kind: 'good' }
}

/** All texts are searched for a refusal; the first is shown to people. */
function judge(words: readonly string[]): Judgement {
  const [reason = 'unknown error'] = words
  const beginnings = words.map((word) => word.slice(0, MOST_READ))
  return { kind: isRefusal(beginnings.join(' ')) ? 'unauthorized' : 'failed', reason }
}

/** Whether a result that is marked as a success reports an error. */
function isError({ status, ok, object, error }: JsonObject): boolean {
  if (object === 'error' || ok === false || status === 'error') return true
  if (typeof status === 'number' && status >= 400) return true
  return error !== undefined && error !== null && error !== false
}

/** The structured result, or the JSON in the first text block. */
export function bodyOf(value: Json): JsonObject | undefined {
  if (isObject(value)) return value
  const [first] = Array.isArray(value) ? (value as readonly Json[]) : []
  const text = isObject(first) ? first['text'] : undefined
  if (typeof text !== 'string' || !text.trimStart().startsWith('{')) return undefined
  try {
    const parsed = JSON.parse(text) as Json
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function wordsOf({ message, error, code, status }: JsonObject): readonly string[] {
  const inner = isObject(error) ? error['message'] : error
  return [message, inner, code, status]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .map(String)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
