/** The provenance of a value in a few words. The label decides; an untrusted value never reads as trusted. */
import { seenLine } from '../../text/untrusted-text.ts'
import { isTrusted, type Label } from '../../labels/label.ts'
import type { Provenance } from '../../labels/label-tree.ts'

const LONGEST_NAME = 64

export function chipFor(label: Label, from: Provenance | undefined): string {
  const origins = [...label.origins].map(shorten).join(', ')
  if (label.integrity === 'endorsed') return 'allowed by you for this task'
  if (!isTrusted(label)) return untrusted(label, from, origins)
  if (label.integrity === 'user') return 'you wrote this'
  if (from?.kind === 'tool') return `id from ${shorten(from.server)}`
  if (from?.kind === 'host') return `from Cordon: ${shorten(from.what)}`
  return origins ? `id from ${origins}` : 'from Cordon'
}

function untrusted({ bound }: Label, from: Provenance | undefined, origins: string): string {
  if (bound?.kind === 'member' && bound.of !== undefined) {
    return `one of the ids of ${shorten(bound.of)}, chosen by words that are not yours`
  }
  switch (from?.kind) {
    case 'tool':
      return `from ${shorten(from.server)} "${shorten(from.tool)}"`
    case 'model':
      return `written by a model that read ${origins || 'what is not yours'}`
    case 'user':
      return 'you passed this on; others wrote it'
    default:
      return `from ${origins || 'an unknown source'}`
  }
}

function shorten(name: string): string {
  return seenLine(name, LONGEST_NAME)
}
