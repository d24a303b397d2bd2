import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comparePlaces } from './compare-places.ts'

const older = (uri: string, entryPoint: string): object => ({
  buildType: 'https://github.com/npm/cli/gitlab/v0alpha1',
  invocation: { configSource: { uri, digest: { sha1: 'abc' }, entryPoint } },
})
const GITLAB = 'https://gitlab.com/ann/group/notes'
const ofGitLab = {
  source: GITLAB,
  build: `${GITLAB}//.gitlab-ci.yml@refs/heads/main`,
  called: `${GITLAB}//.gitlab-ci.yml@refs/heads/main`,
}
const GITHUB = 'https://github.com/ann/notes'
const PATH = '.github/workflows/release.yml'
const ofGitHub = { source: GITHUB, called: `${GITHUB}/${PATH}@refs/tags/v1` }

test('comparePlaces() reads what GitLab says, and what GitHub said until 2023', () => {
  const gitLab = older(`git+${GITLAB}`, 'publish')
  assert.deepEqual(comparePlaces(gitLab, ofGitLab), { repository: GITLAB })
  const gitHub = older(`git+${GITHUB}@refs/tags/v1`, PATH)
  assert.deepEqual(comparePlaces(gitHub, ofGitHub), { repository: GITHUB, workflow: PATH })
})

test('comparePlaces() refuses another place than the certified one, whoever wrote the statement', () => {
  const another = /names another repository than its certificate/
  for (const uri of [
    `git+${GITHUB}`,
    `git+${GITLAB}-mine`,
    `git+${GITLAB}/`,
    'git+https://gitlab.com',
  ]) {
    assert.throws(() => comparePlaces(older(uri, 'publish'), ofGitLab), another, uri)
  }
  const build = `${GITHUB}/.github/workflows/other.yml@refs/tags/v1`
  assert.throws(
    () => comparePlaces(older(`git+${GITHUB}@refs/tags/v1`, PATH), { ...ofGitHub, build }),
    /names another workflow than its certificate/,
  )
})

test('comparePlaces() does not call a form that it cannot read, or a certificate without a place, another repository', () => {
  const unknown = [{}, null, { buildDefinition: {} }, older(GITLAB, 'x'), older('git+ssh://x', 'x')]
  for (const predicate of unknown) {
    assert.throws(() => comparePlaces(predicate, ofGitLab), /in a known form/)
  }
  const gitLab = older(`git+${GITLAB}`, 'publish')
  assert.throws(() => comparePlaces(gitLab, { called: '' }), /certificate .* names no repository/)
})
