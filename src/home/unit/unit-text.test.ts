import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { ownsLingering, unitText } from './unit-text.ts'

const FACTS = {
  command: [process.execPath, '--no-inspect', '/opt/a "quoted" 100% $HOME\\dir/main.ts', 'up'],
  environment: { CORDON_HOME: '/home/ann/my home', PATH: '/usr/bin:/bin' },
  environmentFile: '/home/ann/my home/service.env',
  isLingeringOurs: true,
}

/** systemd reports unknown settings and values on standard error, and ends with 0. */
function verify(text: string): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-unit-'))
  try {
    const file = path.join(folder, 'cordon.service')
    writeFileSync(file, text)
    const env = { ...process.env, XDG_RUNTIME_DIR: folder, LC_ALL: 'C' }
    const ran = spawnSync('systemd-analyze', ['--user', 'verify', file], { env })
    return ran.error ? undefined : ran.stderr.toString()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('systemd finds nothing wrong with the unit, where systemd is', () => {
  const findings = verify(unitText(FACTS)) ?? ''
  assert.equal(findings, '')
  // The check itself can fail.
  const broken = verify(unitText(FACTS).replace('on-failure', 'sometimes'))
  assert.ok(broken === undefined || broken.includes('sometimes'))
})

test('nothing in a path is expanded or ends the command', () => {
  const text = unitText(FACTS)
  assert.ok(text.includes('"/opt/a \\"quoted\\" 100%% $$HOME\\\\dir/main.ts" "up"\n'))
  assert.ok(text.includes('\nEnvironment="CORDON_HOME=/home/ann/my home"\n'))
  const injected = unitText({ ...FACTS, command: ['/bin/a\nExecStartPre=/bin/evil'] })
  assert.equal(injected.match(/^ExecStartPre/m), null)
})

test('the unit remembers whether lingering is ours to switch off', () => {
  assert.equal(ownsLingering(unitText(FACTS)), true)
  assert.equal(ownsLingering(unitText({ ...FACTS, isLingeringOurs: false })), false)
})
