/** A stand-in for a person's browser: follows redirects, keeps cookies, submits forms. Never uses Cordon's code. */
import { fetchOnLoopback } from './loopback-fetch.ts'

export interface Browser {
  /** Opens a page and follows its redirects. Stops at an address that is neither https nor http. */
  open(url: string): Promise<Visit>
  /** Enters a user code on the device page, then allows or denies the request. */
  enterCode(page: string, code: string, answer: 'allow' | 'deny'): Promise<Visit>
}

export interface Visit {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export function createBrowser(port: number): Browser {
  const cookies = new Map<string, string>()
  const send = async (url: URL, init: RequestInit): Promise<Response> => {
    if (url.protocol === 'http:') return await fetch(url, { ...init, redirect: 'manual' })
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = new Headers(init.headers)
    headers.set('cookie', cookie)
    const response = await fetchOnLoopback(port, url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }
  const visit = async (from: URL, first: RequestInit = {}): Promise<Visit> => {
    let url = from
    let init = first
    for (let hop = 0; hop < 20; hop += 1) {
      const response = await send(url, init)
      const { status, headers } = response
      const next = headers.get('location')
      const text = await response.text()
      if (next === null || status < 300 || status > 399) return { url, status, headers, text }
      url = new URL(next, url)
      init = {}
      if (url.protocol !== 'https:' && url.protocol !== 'http:') {
        return { url, status, headers, text }
      }
    }
    throw new Error('The browser goes in circles')
  }
  const submit = async (page: Visit, fields: Record<string, string>): Promise<Visit> => {
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const body = new URLSearchParams({ xsrf, ...fields })
    return await visit(page.url, { method: 'POST', body })
  }
  return {
    open: (url) => visit(new URL(url)),
    async enterCode(page, code, answer) {
      const form = await visit(new URL(page))
      const confirm = await submit(form, { user_code: code })
      const choice = answer === 'allow' ? { confirm: 'yes' } : { abort: 'yes' }
      return await submit({ ...confirm, url: form.url }, { user_code: code, ...choice })
    },
  }
}
