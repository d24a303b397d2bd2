/** The page that a browser shows after the redirect. Loads nothing, runs no script, sends no referrer. */
import { createHash } from 'node:crypto'

const STYLE =
  'body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1.5rem;color-scheme:light dark}'
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export const CALLBACK_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  connection: 'close',
}

export const TAKEN_PAGE: string = page(
  'Back to Cordon',
  'Cordon has the answer. You can close this page.',
)
export const REFUSED_PAGE: string = page(
  'Nobody waits for this',
  'This answer does not belong to a sign-in that is under way, or it came too late. Start again from Cordon.',
)

/** Called only with the constant texts above, so nothing is escaped. */
function page(title: string, text: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style></head><body><h1>${title}</h1><p>${text}</p></body></html>`
}
