/**
 * The form for entering a credential without a chat seeing it: one field, one use, ten minutes. Shown only for the
 * connection in progress, and only to a browser with its link: other users of this machine can reach the port too, and
 * could send a token of their own. The typed value goes to the connection and is never in a URL or an answer.
 */
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { Api, PageRoute } from '../api/contract.ts'
import { CordonError } from '../kernel/error.ts'
import type { ConnectionQuestion, ConnectionView } from '../ports/setup-port.ts'
import { plainPage } from './plain-page.ts'
import { readBody } from './read-json.ts'
import { httpStatus, refusal } from './refusal.ts'
import { protectIn, vaultFields } from './vault-fields.ts'
import { createToken, hashToken, sameHash } from './token.ts'

const LIFETIME_MS = 10 * 60_000
const MOST_FORMS = 32

interface FormParts {
  readonly api: Api<PageRoute>
  readonly now: () => number
}

type Asked = ConnectionView & { readonly question: ConnectionQuestion }

export function createCredentialForm({ api, now }: FormParts): Hono {
  const nonces = createNonces(now)
  const app = new Hono()
  app.get('*', async (c) => {
    const connection = await askedAt(api, c.req.path)
    return connection
      ? c.html(await formFor(api, connection, nonces.create(connection.connection)))
      : await nothingAsked(c)
  })
  app.post('*', async (c) => {
    const connection = await askedAt(api, c.req.path)
    if (!connection) return await nothingAsked(c)
    const form = new URLSearchParams((await readBody(c.req.raw)).toString())
    if (nonces.take(form.get('nonce') ?? '') !== connection.connection) throw refusal('nonce')
    try {
      const protect = protectIn(form)
      const next = await api.call('connect.provide', {
        connection: connection.connection,
        value: form.get('value') ?? '',
        ...(protect && { protect }),
      })
      return c.html(await afterAnswer(api, connection, next, nonces))
    } catch (error) {
      if (!(error instanceof CordonError)) throw error
      const again = await formFor(
        api,
        connection,
        nonces.create(connection.connection),
        `${error.message}. ${error.hint}.`,
      )
      return c.html(again, httpStatus(error))
    }
  })
  return app
}

/** The next question of the same connection, or the end. */
async function afterAnswer(
  api: Api<PageRoute>,
  answered: Asked,
  next: ConnectionView,
  nonces: Nonces,
): Promise<Markup> {
  const { question } = next
  if (question && question.title !== answered.question.title && !question.device) {
    return await formFor(api, { ...next, question }, nonces.create(next.connection))
  }
  return answered.question.isSecret
    ? plainPage('Stored', html`<h1>✓ Stored securely</h1><p>You can close this window.</p>`)
    : plainPage('Taken', html`<h1>✓ Taken</h1><p>You can close this window.</p>`)
}

/** The connection whose form is at this path. The path ends in a random key, known only from that connection's link. */
async function askedAt(api: Api<PageRoute>, path: string): Promise<Asked | undefined> {
  const { connection } = await api.call('connect.view', {})
  if (connection?.question?.form === undefined) return undefined
  const place = new URL(connection.question.form).pathname
  // Compares hashes, so that the timing tells nothing about the key.
  const isHere = sameHash(hashToken(path), hashToken(place))
  return isHere ? { ...connection, question: connection.question } : undefined
}

async function nothingAsked(c: Context): Promise<Response> {
  const text = html`<h1>Nothing is asked here</h1>
    <p>Open the whole link that Cordon printed; if it is too old, run <code>cordon connect</code> for a new one.</p>`
  return await c.html(plainPage('Nothing is asked', text), 404)
}

async function formFor(
  api: Api<PageRoute>,
  { title, question }: Asked,
  nonce: string,
  problem = '',
): Promise<Markup> {
  const { isSecret } = question
  const vault = isSecret ? await vaultFields(api) : ''
  return plainPage(
    `Connect ${title}`,
    html`<h1>Connect ${title}</h1>
      ${question.where ? html`<p>${question.where}</p>` : ''}
      ${problem ? html`<p role="alert">${problem}</p>` : ''}
      <form class="credential" method="post" autocomplete="off">
        <input type="hidden" name="nonce" value="${nonce}" />
        ${fieldsFor(title, question)}
        ${vault}
        <button type="submit">${isSecret ? 'Store it' : 'Use it'}</button>
      </form>
      ${isSecret ? html`<p class="muted">It goes into the encrypted vault on this machine, and to ${title} alone.</p>` : ''}`,
  )
}

/** One field, or one choice with what each answer means. */
function fieldsFor(title: string, { title: what, isSecret, choices }: ConnectionQuestion): Markup {
  if (!choices) {
    return html`<label>${title} ${what}
      <input type="${isSecret ? 'password' : 'text'}" name="value" required autofocus autocomplete="off" spellcheck="false" />
    </label>`
  }
  const options = Object.entries(choices).map(
    ([word, means]) =>
      html`<label class="choice"><input type="radio" name="value" value="${word}" required /> <span>${word}: ${means}</span></label>`,
  )
  return html`<fieldset><legend>${title} ${what}</legend>${options}</fieldset>`
}

type Markup = ReturnType<typeof html>

interface Nonces {
  create(connection: string): string
  /** The connection that the nonce was made for. A nonce is never accepted twice. */
  take(nonce: string): string | undefined
}

function createNonces(now: () => number): Nonces {
  const open = new Map<string, { readonly connection: string; readonly until: number }>()
  return {
    create(connection) {
      const nonce = createToken()
      open.set(hashToken(nonce), { connection, until: now() + LIFETIME_MS })
      for (const oldest of open.keys()) if (open.size > MOST_FORMS) open.delete(oldest)
      return nonce
    },
    take(nonce) {
      const hash = hashToken(nonce)
      const found = open.get(hash)
      open.delete(hash)
      return found && now() < found.until ? found.connection : undefined
    },
  }
}
