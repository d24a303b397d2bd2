/** The formats of texts that a receiver acts on. Data only; knows no service. */

/**
 * Formats by which a receiver does more with a text than store it: shows it as a page (`html`, `markdown`), runs commands in it
 * (`quick-actions`), tells people (`mentions`), runs the file if it lies in the right place (`ci`), or computes
 * (`csv`). `text` is for an argument that is none of these.
 */
export const CONTENT_FORMATS = [
  'html',
  'markdown',
  'quick-actions',
  'mentions',
  'ci',
  'csv',
  'text',
] as const
export type ContentFormat = (typeof CONTENT_FORMATS)[number]

/** Formats by argument, `body`, or by tool and argument where tools differ, `create_file.content`. */
export type FormatRules = Readonly<Record<string, readonly ContentFormat[]>>
