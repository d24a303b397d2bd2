import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageCommandIn } from './image-command.ts'

const DIGEST = `sha256:${'0'.repeat(64)}`

function parse(line: string): ReturnType<typeof imageCommandIn> {
  const [program = '', ...args] = line.split(' ')
  return imageCommandIn(program, args)
}

test('imageCommandIn() reads image, tag, digest, program and arguments', () => {
  const lines = {
    'docker run -i --rm mcp/fetch': { package: 'docker.io/mcp/fetch', version: 'latest', args: [] },
    'podman run -it ubuntu:24.04 a b': {
      package: 'docker.io/library/ubuntu',
      version: '24.04',
      args: ['a', 'b'],
    },
    [`docker container run ghcr.io/acme/notes:1@${DIGEST} -v`]: {
      package: 'ghcr.io/acme/notes',
      version: DIGEST,
      args: ['-v'],
    },
    'docker run --entrypoint node -w /app -u 5:6 r.example:8443/a/b x': {
      package: 'r.example:8443/a/b',
      entrypoint: 'node',
      workingFolder: '/app',
      user: { uid: 5, gid: 6 },
    },
    'docker run --name=x --memory 1g --pull always --network none --read-only acme/x': {
      package: 'docker.io/acme/x',
    },
  }
  for (const [line, wanted] of Object.entries(lines)) {
    assert.partialDeepStrictEqual(parse(line), wanted, line)
  }
  assert.equal(parse('docker compose up'), undefined)
  assert.equal(parse('npx docker run'), undefined)
})

test('imageCommandIn() reads settings and folders', () => {
  const line =
    'docker run -e TOKEN -e A=b=c --env=D=e -e LD_PRELOAD=x -v ~/notes/:/data:ro --mount type=bind,src=/srv/x,dst=/projects/x,readonly acme/x'
  assert.partialDeepStrictEqual(parse(line), {
    variables: [
      ['TOKEN', undefined],
      ['A', 'b=c'],
      ['D', 'e'],
    ],
    shownAt: { '~/notes': '/data', '/srv/x': '/projects/x' },
  })
})

test('imageCommandIn() refuses what would weaken the sandbox, each in one sentence', () => {
  const lines = {
    '-p 8080:80': /opens a port/,
    '--publish=80:80': /opens a port/,
    '--privileged': /root of this machine/,
    '--network host': /own network/,
    '--net=container:db': /own network/,
    '-v /var/run/docker.sock:/var/run/docker.sock': /docker\.sock/,
    '--mount type=bind,src=/run/podman/podman.sock,dst=/x': /control over the containers/,
    '-v data:/data': /volume of Docker/,
    '-v ./here:/data': /does not name whole/,
    '-v /srv/x:data': /no whole path/,
    '--cap-add SYS_ADMIN': /more rights/,
    '--device /dev/kvm': /more rights/,
    '--pid host': /shares the processes/,
    '--security-opt seccomp=unconfined': /other walls/,
    '-d': /background/,
    '--env-file .env': /file of settings/,
    '--strange': /option "--strange"/,
    '-u root': /user by name/,
  }
  for (const [options, words] of Object.entries(lines)) {
    assert.throws(() => parse(`docker run ${options} acme/x`), { message: words }, options)
  }
})

test('imageCommandIn() refuses names that are no image', () => {
  const names = [
    '',
    '../x',
    'UPPER/x',
    'a//b',
    'a:b:c',
    'x@sha256:12',
    'http://r.example/x',
    '-x',
    'a b',
  ]
  for (const name of names) {
    assert.throws(
      () => imageCommandIn('docker', ['run', name]),
      { code: 'catalog.not-installable' },
      name,
    )
  }
})
