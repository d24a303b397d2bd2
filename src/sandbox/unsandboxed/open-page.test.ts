import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { browserFor, openPage } from './open-page.ts'

test('a browser is only where a desktop session is, and never over ssh', () => {
  assert.equal(browserFor({}, 'linux'), undefined)
  assert.equal(browserFor({ DISPLAY: '' }, 'linux'), undefined)
  assert.equal(browserFor({ DISPLAY: ':0' }, 'linux'), 'xdg-open')
  assert.equal(browserFor({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux'), 'xdg-open')
  assert.equal(browserFor({ DISPLAY: ':10', SSH_CONNECTION: '1 2 3 4' }, 'linux'), undefined)
  assert.equal(browserFor({ SSH_TTY: '/dev/pts/1' }, 'darwin'), undefined)
  assert.equal(browserFor({}, 'darwin'), 'open')
  assert.equal(browserFor({ DISPLAY: ':0' }, 'win32'), undefined)
})

test('the link is handed over as one argument, and only if it is https', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-browser-'))
  const seen = path.join(folder, 'seen')
  const script = `#!/bin/sh\nprintf '%s' "$#:$1" > ${seen}.part && mv ${seen}.part ${seen}\n`
  writeFileSync(path.join(folder, 'xdg-open'), script, { mode: 0o755 })
  const environment = { DISPLAY: ':0', PATH: `${folder}:/usr/bin:/bin` }
  const url = 'https://example.com/authorize?a=1&b=$(id)'
  assert.equal(await openPage('file:///etc/passwd', environment), false)
  assert.equal(await openPage(url, { DISPLAY: ':0', PATH: '/nonexistent' }), false)
  assert.equal(await openPage(url, environment), true)
  while (!existsSync(seen)) await pause(10)
  assert.equal(readFileSync(seen, 'utf8'), `1:${url}`)
  rmSync(folder, { recursive: true })
})
