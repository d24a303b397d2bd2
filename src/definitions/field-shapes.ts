/**
 * Schemas of the values that a definition's fields hold. A message names the expected form and never repeats the value:
 * a value in the wrong field may be a token.
 */
import { z } from 'zod'
import { isSecretRef } from '../kernel/secret-ref.ts'
import { domainMistake } from '../text/domain-mistake.ts'
import { urlMistake } from './url-mistake.ts'
import { parseFieldPath } from '../text/field-path.ts'
import { mapRecord } from '../text/map-record.ts'
import { LIMIT_KEYS, type LimitKey, type SetLimit } from '../text/server-limits.ts'

type Text = z.ZodType<string, string>

// oxlint-disable no-control-regex -- what is shown to people may not move their cursor
const NO_CONTROLS = /^[^\u0000-\u001f\u007f-\u009f]*$/
const NO_CONTROLS_BUT_LINES = /^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$/
// oxlint-enable no-control-regex

const filled = z
  .string()
  .regex(NO_CONTROLS, 'expected one line of text')
  .min(1, 'expected text, found none')

export const line: Text = filled.max(1000)
export const prose: Text = z.string().max(10_000).regex(NO_CONTROLS_BUT_LINES, 'expected text')
export const path: Text = filled.regex(/^(?:\/|~\/)/, 'expected a path from "/" or "~/"')
export const variable: Text = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, 'expected the name of an environment variable')

/** Text that `mistake` accepts; otherwise its message is the issue. */
function without(mistake: (text: string) => string | undefined): Text {
  return filled.superRefine((text, context) => {
    const message = mistake(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
}

export const url: Text = without(urlMistake)
export const domain: z.ZodType<string, string> = without(domainMistake).transform((name) =>
  name.toLowerCase(),
)

/** Arguments and environment values are C strings, so they may hold any character except NUL. */
const noNul = (text: string): boolean => !text.includes('\0')
const NO_NUL = 'expected text without the character NUL'

export const argument: Text = z.string().refine(noNul, NO_NUL)

/** A plain setting; TOML's numbers and booleans become the text that the process sees. */
export const setting: z.ZodType<string, string | number | boolean> = z
  .union([z.string(), z.number(), z.boolean()], { error: 'expected text, a number, true or false' })
  .transform(String)
  .refine(noNul, NO_NUL)

const REFERENCE =
  'expected a reference, never the value: store it with `cordon vault set NAME`, then write "vault:NAME"'

export const reference: Text = z.string(REFERENCE).refine(isSecretRef, REFERENCE)

/** A reference, or one with settings: `{ ref = "vault:NAME", sealed = true }`. */
export const credential: z.ZodType<Credential> = z.union(
  [
    reference.transform((ref): Credential => ({ ref })),
    z.strictObject({
      ref: reference,
      sealed: z.boolean().default(false),
      hosts: z.array(domain).min(1, 'expected at least one host').exactOptional(),
    }),
  ],
  { error: REFERENCE },
)

export interface Credential {
  readonly ref: string
  readonly sealed?: boolean
  /** The hosts that are told the value; absent: all that the server may reach. */
  readonly hosts?: readonly string[]
}

/** The path of a field in a tool's answer: `items[*].id`. */
export const fieldPath: Text = filled
  .max(200)
  .refine((text) => parseFieldPath(text) !== undefined, 'expected a path like "items[*].id"')

/** One key of `[limits]`. */
export function limit(key: LimitKey): z.ZodType<SetLimit> {
  return z.unknown().transform((written, context): SetLimit => {
    const value = key.read(written)
    if (value !== undefined) return { value, from: 'server' }
    context.addIssue({ code: 'custom', message: key.expected })
    return z.NEVER
  })
}

export const limits: z.ZodObject<Record<string, z.ZodOptional<z.ZodType<SetLimit>>>> =
  z.strictObject(mapRecord(LIMIT_KEYS, (key) => limit(key).optional()))
