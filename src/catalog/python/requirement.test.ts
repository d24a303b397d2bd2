import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluateMarker } from './evaluate-marker.ts'
import { parseRequirement } from './requirement.ts'

const HERE = { python_version: '3.11', sys_platform: 'linux', platform_machine: 'x86_64' }

test('parseRequirement() reads names, extras, versions and markers', () => {
  const { name, extras, specifiers, marker } = parseRequirement(
    'Uvicorn[Standard] (>=0.2,<1) ; python_version >= "3.8"',
  )
  assert.deepEqual([name, extras, marker], ['uvicorn', ['standard'], 'python_version >= "3.8"'])
  assert.deepEqual(
    specifiers.map(({ operator, version }) => operator + version.text),
    ['>=0.2', '<1'],
  )
  assert.equal(parseRequirement('x @ https://evil.example/x.whl').isDirect, true)
  assert.equal(parseRequirement('x @ file:///etc/x ; extra == "a"').isDirect, true)
  for (const text of ['', '../x', 'x >= ', 'x=1', '-r other', 'https://evil.example/x.whl']) {
    assert.throws(() => parseRequirement(text), /cannot be read/, text)
  }
})

test('evaluateMarker() compares versions as versions, and the rest as text', () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ['python_version < "3.2"', false],
    ['python_version >= "3.9" and sys_platform == "linux"', true],
    ['sys_platform == "win32" or (platform_machine in "x86_64 arm64")', true],
    ["platform_machine not in 'arm64'", true],
    ['extra == "cli"', false],
  ]
  for (const [marker, isTrue] of cases) assert.equal(evaluateMarker(marker, HERE), isTrue, marker)
  assert.equal(evaluateMarker('extra == "Two_Words"', HERE, 'two-words'), true)
})

test('evaluateMarker() refuses what it cannot read, and runs nothing', () => {
  const deep = `${'('.repeat(100)}sys_platform == "x"${')'.repeat(100)}`
  for (const marker of ['import os', 'sys_platform', 'os.system("x") == 1', '"a" == ', deep, '(']) {
    assert.throws(() => evaluateMarker(marker, HERE), /cannot be read/, marker)
  }
})
