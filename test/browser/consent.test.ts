/** A program is let in by a person in a real browser: the form, its two secrets, and the way back to the program. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'
import {
  askToken,
  codeForm,
  newLink,
  openGateway,
  openProgram,
  statusWith,
} from '../fixtures/signing-in.ts'
import { launchChromium, PATIENCE_MS } from './open-page.ts'

test('SIGNIN-3: the owner lets a program in on the page, and its code arrives at the program', async () => {
  await using cordon = openCordon()
  const origin = await openGateway(cordon)
  const arrived = Promise.withResolvers<URL>()
  const program = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1')
    response.end('<h1>Back in the program</h1>')
    if (url.pathname === '/callback') arrived.resolve(url)
  })
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const { clientId, verifier, query } = await openProgram(origin, 'The <b>editor</b>')
    const back = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`
    query.set('redirect_uri', back)
    const asking = `${origin}/oauth/authorize?${query.toString()}`

    await page.goto(asking)
    await page.getByRole('heading', { name: 'Open Cordon first' }).waitFor()
    await page.goto(await newLink(cordon))
    await page.waitForFunction(() => localStorage.getItem('cordon-csrf') !== null)
    await page.goto(asking)
    await page.getByText('The <b>editor</b>').waitFor()
    await page.getByRole('button', { name: 'Let it in' }).click()
    await page.getByRole('heading', { name: 'Back in the program' }).waitFor()

    const code = await arrived.promise
    assert.equal(code.searchParams.get('state'), 'of-the-program')
    const form = { ...codeForm({ clientId, verifier, query }, code), redirect_uri: back }
    const { body } = await askToken(origin, form)
    assert.equal(await statusWith(origin, body['access_token'] ?? ''), 200)

    await page.goto(asking)
    await page.getByRole('button', { name: 'No', exact: true }).click()
    await page.waitForURL(/error=access_denied/)
  } finally {
    await browser.close()
    program.closeAllConnections()
    program.close()
  }
})
