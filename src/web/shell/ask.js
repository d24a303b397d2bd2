/**
 * The page's side of the session and the API. No script can read the cookie; this one keeps the CSRF token, in the
 * storage of this one origin.
 * @import { Input, Output, PageRoute } from '../../api/contract.ts'
 * @import { ErrorBody } from '../../kernel/error.ts'
 */

const CSRF = 'cordon-csrf'

/** An error that the API answered with, with its hint. */
export class Refused extends Error {
  /** @param {ErrorBody} body */
  constructor({ code, message, hint }) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

export function mayBeSignedIn() {
  return localStorage.getItem(CSRF) !== null
}

export function forgetSession() {
  localStorage.removeItem(CSRF)
}

/** @param {string} token */
export async function enter(token) {
  const { csrf } = /** @type {{ csrf: string }} */ (await post('session/enter', { token }))
  localStorage.setItem(CSRF, csrf)
}

export async function leave() {
  await post('session/leave', {})
  forgetSession()
}

/** @template {PageRoute} R @param {R} route @param {Input<R>} input @returns {Promise<Output<R>>} */
export async function ask(route, input) {
  return /** @type {Output<R>} */ (await post(route, input))
}

/** @param {string} path @param {object} body @returns {Promise<unknown>} */
async function post(path, body) {
  const headers = {
    'Content-Type': 'application/json',
    'X-Cordon-Csrf': localStorage.getItem(CSRF) ?? '',
  }
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  // oxlint-disable-next-line no-restricted-globals -- the browser's own; connect-src binds it to this server
  const response = await fetch(`/api/${path}`, request).catch(() => {
    throw new Refused({
      code: 'page.offline',
      message: 'Cannot reach Cordon',
      hint: 'Run `cordon up` in a terminal, then try again',
      exit: 5,
    })
  })
  const answer = await response.json()
  if (!response.ok) throw new Refused(answer.error)
  return answer
}
