/**
 * The headers of every answer, errors included: scripts, styles and connections only from this origin, no framing, no
 * caching, and no header that lets another origin read an answer.
 */
import type { MiddlewareHandler } from 'hono'

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // Policies: `cordon` for markdown, `dompurify` inside the sanitiser.
  'trusted-types cordon dompurify',
].join('; ')

export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  // Not `no-referrer`: with that, a browser sends `Origin: null` with our own form, and that Origin is refused.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), microphone=(), geolocation=(), display-capture=(), payment=(), usb=(), serial=(), hid=()',
  'Cache-Control': 'no-store',
}

export const addSafeHeaders: MiddlewareHandler = async (c, next) => {
  await next()
  for (const [name, value] of Object.entries(SAFE_HEADERS)) c.res.headers.set(name, value)
}
