/**
 * The page: signs in with the token of a link, calls the API, and shows one of four views: loading, not signed in,
 * an error, or the state of Cordon.
 * @import { Part } from './elements.js'
 */
import { ask, enter, forgetSession, leave, mayBeSignedIn, Refused } from './ask.js'
import { approvalCards, readApprovals } from './approvals.js'
import { card, el, present, prose } from './elements.js'
import { serverCards, statusCard } from './home.js'

const main = find('main')
const leaveButton = find('leave')
const announcer = find('announcer')

leaveButton.addEventListener('click', () => void attempt(signOut))
addEventListener('hashchange', () => void attempt(start))
void attempt(start)

async function start() {
  const token = takeToken()
  show('Loading', el('p', 'muted loading', 'Loading…'))
  // If the browser is signed in already, an old link needs no message.
  if (token) await enter(token).catch((error) => mayBeSignedIn() || Promise.reject(error))
  if (!mayBeSignedIn()) return showSignedOut()
  const [status, listing, approvals] = await Promise.all([
    ask('status', {}),
    ask('mcp.list', {}),
    readApprovals(),
  ])
  leaveButton.hidden = false
  const asked = approvalCards(approvals, (answer) => void attempt(() => settle(answer)))
  show('Signed in', ...asked, statusCard(status), ...serverCards(listing))
}

/** Sends an answer to a question, then shows what is open now. @param {() => Promise<unknown>} answer */
async function settle(answer) {
  await answer()
  await start()
}

/** The token leaves the address bar and the history before anything else happens. */
function takeToken() {
  const token = /^#enter=([\w-]+)$/.exec(location.hash)?.[1]
  history.replaceState(null, '', location.pathname)
  return token
}

async function signOut() {
  await leave()
  showSignedOut('You are signed out.')
}

/** @param {() => Promise<void>} action */
async function attempt(action) {
  try {
    await action()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    showRefusal(error)
  }
}

/** @param {Refused} refused */
function showRefusal({ code, message, hint }) {
  if (code === 'web.session' || code === 'web.csrf') {
    forgetSession()
    return showSignedOut('Your session has ended.')
  }
  if (code === 'web.link') return showSignedOut(`${message}.`)
  const retry = el('button', '', 'Try again')
  retry.addEventListener('click', () => void attempt(start))
  const failure = card(message, prose(hint), retry)
  failure.classList.add('failure')
  show(message, failure)
}

/** @param {string} [notice] */
function showSignedOut(notice) {
  leaveButton.hidden = true
  const welcome = card(
    'This browser is not signed in',
    prose('Run `cordon open` in a terminal for a link that lets this browser in.'),
    el('p', 'muted', 'A link works once, and for ten minutes.'),
  )
  welcome.classList.add('welcome')
  if (notice !== undefined) welcome.prepend(el('p', 'notice', notice))
  show(notice ?? 'Not signed in', welcome)
}

/** Replaces the view, and announces it to a screen reader. @param {string} said @param {...Part} parts */
function show(said, ...parts) {
  const hadFocus = main.contains(document.activeElement) || document.activeElement === leaveButton
  main.setAttribute('aria-busy', String(said === 'Loading'))
  main.replaceChildren(...present(parts))
  announcer.textContent = said
  // The focused element is gone; without this, keyboard focus would start again at the top of the page.
  if (hadFocus) main.focus()
}

/** @param {string} id */
function find(id) {
  const element = document.getElementById(id)
  if (!element) throw new Error(`The page has no element ${id}`)
  return element
}
