/**
 * The page on which the owner lets a program of this machine in, or not. Only for a browser that is signed in; a yes
 * needs the session's second secret too, since the cookie alone is sent to every port of this machine. Without scripts
 * a fresh link of `cordon open` stands for it. The program's name is shown as its own claim.
 */
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { Audit } from '../kernel/ports.ts'
import type { StoredSession } from '../ports/session-port.ts'
import type { SignInRequest, SignIns } from '../ports/sign-in-port.ts'
import { programOfScheme } from '../text/program-of-scheme.ts'
import type { EntryLinks } from './entry-links.ts'
import { readBody } from './read-json.ts'
import { refusal } from './refusal.ts'
import type { SessionGate } from './session-gate.ts'
import { plainPage } from './plain-page.ts'
import { createToken, hashToken, sameHash } from './token.ts'

export const CONSENT_PATH = '/oauth/authorize'
export const CONSENT_SCRIPT = '/consent.js'

interface ConsentParts {
  readonly signIns: SignIns
  readonly gate: Pick<SessionGate, 'peek'>
  readonly links: Pick<EntryLinks, 'take'>
  readonly audit: Pick<Audit, 'append'>
  readonly now: () => number
}

const LIFETIME_MS = 10 * 60_000
const MOST_FORMS = 32

interface OpenForm {
  readonly request: SignInRequest
  readonly cookieHash: string
  readonly until: number
}

export function createConsentPage(parts: ConsentParts): Hono {
  const { signIns, gate, now } = parts
  const forms = new Map<string, OpenForm>()
  const app = new Hono()
  app.get(CONSENT_SCRIPT, (c) => c.body(SCRIPT, 200, { 'Content-Type': 'text/javascript' }))
  app.get(CONSENT_PATH, async (c) => {
    const session = await gate.peek(c.req.raw.headers)
    if (!session) return await signedOut(c)
    const begun = await signIns.begin(new URL(c.req.url).searchParams)
    if (begun.kind === 'wrong') return await wrong(c, begun.why)
    if (begun.kind === 'back') return await goBack(c, begun.location, 'It was not let in')
    const nonce = createToken()
    const { request } = begun
    const until = now() + LIFETIME_MS
    forms.set(hashToken(nonce), { request, cookieHash: session.cookieHash, until })
    for (const oldest of forms.keys()) if (forms.size > MOST_FORMS) forms.delete(oldest)
    return await c.html(formFor(request, nonce))
  })
  app.post(CONSENT_PATH, async (c) => {
    const session = await gate.peek(c.req.raw.headers)
    if (!session) return await signedOut(c)
    const form = new URLSearchParams((await readBody(c.req.raw)).toString())
    const hash = hashToken(form.get('nonce') ?? '')
    const open = forms.get(hash)
    forms.delete(hash)
    const isOwn = open && now() < open.until && sameHash(open.cookieHash, session.cookieHash)
    if (!isOwn) throw refusal('nonce')
    if (form.get('answer') !== 'allow') {
      return await goBack(c, signIns.deny(open.request), 'It was not let in')
    }
    if (!isProven(parts, session, form)) throw refusal('csrf')
    return await goBack(c, await signIns.allow(open.request), '✓ It was let in')
  })
  return app
}

/** The second secret of the session, or a link that only the owner's terminal gives out. */
function isProven({ links }: ConsentParts, session: StoredSession, form: URLSearchParams): boolean {
  const csrf = form.get('csrf') ?? ''
  if (csrf !== '') return sameHash(hashToken(csrf), session.csrfHash)
  const [, token = ''] = /#enter=([A-Za-z0-9_-]+)\s*$/.exec(form.get('link') ?? '') ?? []
  return token !== '' && links.take(token)
}

const SCRIPT = `for (const field of document.querySelectorAll('input[name=csrf]')) {
  field.value = localStorage.getItem('cordon-csrf') ?? ''
}
`

type Markup = ReturnType<typeof html>

function formFor({ clientName, publisher, redirectUri }: SignInRequest, nonce: string): Markup {
  const whose = publisher
    ? html`<p>Its description is published at <strong>${publisher}</strong>.</p>`
    : html`<p class="muted">Any program of this machine can claim this name.</p>`
  return plainPage(
    'Let a program in?',
    html`<h1>Let a program in?</h1>
      <p>It calls itself “<bdi>${clientName}</bdi>”, and wants to use your servers through Cordon.</p>
      ${whose}
      <p class="muted">The answer goes to ${receiver(redirectUri)} on this machine. The program sees the tools of
        your servers, and its calls are judged and recorded like those of every other program.
        <code>cordon client remove</code> ends its access.</p>
      <form class="credential" method="post" autocomplete="off" action="${CONSENT_PATH}">
        <input type="hidden" name="nonce" value="${nonce}" />
        <input type="hidden" name="csrf" value="" />
        <noscript><label>Your browser runs no scripts: paste a new link of <code>cordon open</code>
          <input type="text" name="link" autocomplete="off" spellcheck="false" /></label></noscript>
        <button type="submit" name="answer" value="allow">Let it in</button>
        <button type="submit" name="answer" value="deny" class="quiet">No</button>
      </form>
      <script src="${CONSENT_SCRIPT}"></script>`,
  )
}

/** A scheme belongs to the program that the desktop has for it; a port to whichever program listens there. */
function receiver(redirectUri: string): Markup {
  const { origin, protocol } = new URL(redirectUri)
  const program = programOfScheme(redirectUri)
  if (program === undefined) return html`<code>${origin}</code>`
  return html`the program that opens <code>${protocol}</code> addresses, which should be
    <strong>${program}</strong>,`
}

async function signedOut(c: Context): Promise<Response> {
  const text = html`<h1>Open Cordon first</h1>
    <p>A program asks to be let in. Run <code>cordon open</code> in a terminal, open the link it shows, and then
      <a href="">try this again</a>.</p>`
  return await c.html(plainPage('Open Cordon first', text), 401)
}

async function wrong(c: Context, why: string): Promise<Response> {
  const text = html`<h1>This program cannot be let in</h1><p>${why}.</p>`
  return await c.html(plainPage('Not let in', text), 400)
}

/** Not an HTTP redirect: browsers hold those against the `form-action` of the page that the form was on. */
async function goBack(c: Context, location: string, title: string): Promise<Response> {
  const text = html`<h1>${title}</h1>
    <p><a href="${location}">Go on</a> if nothing happens. You can close this window.</p>`
  const refresh = html`<meta http-equiv="refresh" content="0;url=${location}" />`
  return await c.html(plainPage(title, text, refresh))
}
