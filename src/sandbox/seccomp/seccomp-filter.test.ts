import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { lastFilter, seccompFilter } from './seccomp-filter.ts'
import {
  ABSENT,
  type Architecture,
  INSPECTED,
  numberOn,
  OWN_WALLS,
  REFUSED,
  UNCOUNTED,
  UNFIT,
} from './syscalls.ts'

const ARCHITECTURES: readonly Architecture[] = ['x64', 'arm64']
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 }
const ALLOW = 0x7fff0000
const KILL = 0x80000000
const EPERM = 0x00050001
const EINVAL = 0x00050016
const ENOSYS = 0x00050026
const EPROTONOSUPPORT = 0x0005005d
const EAFNOSUPPORT = 0x00050061

/** Runs the filter as the kernel would. */
function verdict(filter: Buffer, audit: number, number: number, args: readonly number[] = []) {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(audit, 4)
  args.forEach((value, index) => data.writeBigUInt64LE(BigInt(value), 16 + index * 8))
  let loaded = 0
  for (let step = 0; ; step++) {
    const value = filter.readUInt32LE(step * 8 + 4)
    const jump = (holds: boolean) => filter.readUInt8(step * 8 + (holds ? 2 : 3))
    switch (filter.readUInt16LE(step * 8)) {
      case 0x20:
        loaded = data.readUInt32LE(value)
        break
      case 0x54:
        loaded = (loaded & value) >>> 0
        break
      case 0x15:
        step += jump(loaded === value)
        break
      case 0x35:
        step += jump(loaded >= value)
        break
      case 0x45:
        step += jump((loaded & value) !== 0)
        break
      default:
        return value
    }
  }
}

for (const architecture of ARCHITECTURES) {
  const filter = seccompFilter(architecture)
  const ask = (number: number | undefined, ...args: number[]) =>
    verdict(filter, AUDIT[architecture], number ?? assert.fail(), args)
  const inspected = (name: keyof typeof INSPECTED) => numberOn(architecture, INSPECTED[name])

  test(`seccompFilter() for ${architecture} refuses what it lists and allows the rest`, () => {
    const refused = Object.values(REFUSED).flatMap((pair) => numberOn(architecture, pair) ?? [])
    const absent = Object.values(ABSENT).flatMap((pair) => numberOn(architecture, pair) ?? [])
    for (const number of refused) assert.equal(ask(number), EPERM)
    const unfit = Object.values(UNFIT).map((pair) => numberOn(architecture, pair) ?? assert.fail())
    for (const number of absent) assert.equal(ask(number), ENOSYS)
    for (const number of unfit) assert.equal(ask(number), EINVAL)
    const listed = new Set([
      ...refused,
      ...absent,
      ...unfit,
      ...Object.keys(INSPECTED).map((name) => inspected(name as 'clone')),
    ])
    const others = Array.from({ length: 470 }, (_, number) => number).filter((n) => !listed.has(n))
    for (const number of others) assert.equal(ask(number), ALLOW, `call ${number}`)
    for (const later of [470, 471, 547, 4096]) assert.equal(ask(later), ENOSYS, `call ${later}`)
  })

  test(`seccompFilter() for ${architecture} kills a foreign architecture`, () => {
    for (const foreign of [0x40000003, 0, AUDIT[architecture === 'x64' ? 'arm64' : 'x64']]) {
      assert.equal(verdict(filter, foreign, 0), KILL)
    }
  })

  test(`seccompFilter() for ${architecture} refuses to connect by sending, and programs on sockets`, () => {
    const fast = 0x20000000
    for (const name of ['sendto', 'sendmmsg'] as const) {
      assert.equal(ask(inspected(name), 3, 0, 0, 0x4000), ALLOW)
      assert.equal(ask(inspected(name), 3, 0, 0, fast + 0x4000), EPERM)
      assert.equal(ask(inspected(name), 3, 0, 0, 0x4001), EPERM)
    }
    assert.equal(ask(inspected('sendmsg'), 3, 0, 0x4000, fast), ALLOW)
    assert.equal(ask(inspected('sendmsg'), 3, 0, fast), EPERM)
    for (const option of [26, 50, 51, 52]) {
      assert.equal(ask(inspected('setsockopt'), 3, 1, option), EPERM)
      assert.equal(ask(inspected('setsockopt'), 3, 41, option), ALLOW)
    }
    for (const option of [14, 31, 32, 38, 39, 40])
      assert.equal(ask(inspected('setsockopt'), 3, 6, option), EPERM)
    for (const option of [1, 4, 30]) assert.equal(ask(inspected('setsockopt'), 3, 6, option), ALLOW)
    for (const option of [2, 9, 15]) assert.equal(ask(inspected('setsockopt'), 3, 1, option), ALLOW)
  })

  test(`seccompFilter() for ${architecture} looks into the arguments of clone and ioctl`, () => {
    assert.equal(ask(inspected('clone'), 0x11), ALLOW)
    assert.equal(ask(inspected('clone'), 0x3d0f00), ALLOW)
    for (const flag of [
      0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000,
    ]) {
      assert.equal(ask(inspected('clone'), 0x11 + flag), EPERM)
    }
    for (const thread of [0x3d0f00, 0x10f00]) assert.equal(ask(inspected('clone'), thread), ALLOW)
    assert.equal(ask(inspected('clone'), 0x10b00), EPERM, 'a thread with descriptors of its own')
    assert.deepEqual(
      [0, 2, 4].map((flags) => ask(inspected('close_range'), 3, 9, flags)),
      [ALLOW, EINVAL, ALLOW],
    )
    assert.equal(ask(inspected('ioctl'), 0, 0x5401), ALLOW)
    assert.equal(ask(inspected('ioctl'), 0, 0x5412), EPERM)
    assert.equal(ask(inspected('ioctl'), 0, 0x541c), EPERM)
    assert.equal(ask(inspected('ioctl'), 0, 2 ** 32 + 0x5412), EPERM)
  })

  test(`seccompFilter() for ${architecture} knows IPv4, IPv6 and routing tables, and no other family`, () => {
    for (const family of [2, 10]) {
      for (const protocol of [0, 6]) {
        assert.equal(ask(inspected('socket'), family, 0x80801, protocol), ALLOW)
      }
      for (const protocol of [0, 17]) {
        assert.equal(ask(inspected('socket'), family, 0x80802, protocol), ALLOW)
      }
      for (const [kind, protocol] of [
        [3, 1],
        [1, 262],
        [1, 132],
        [2, 136],
        [2, 1],
        [5, 0],
      ] as const) {
        assert.equal(ask(inspected('socket'), family, kind, protocol), EPROTONOSUPPORT)
      }
    }
    assert.equal(ask(inspected('socket'), 16, 3, 0), ALLOW)
    assert.equal(ask(inspected('socket'), 16, 3, 9), EAFNOSUPPORT)
    for (const family of [0, 1, 3, 17, 38, 40]) {
      assert.equal(ask(inspected('socket'), family, 1, 0), EAFNOSUPPORT)
    }
  })

  test(`seccompFilter() for ${architecture} lets a server that listens make Unix streams, and nothing more`, () => {
    const listening = seccompFilter(architecture, { unixSockets: true })
    const make = (...args: number[]) =>
      verdict(listening, AUDIT[architecture], inspected('socket') ?? assert.fail(), args)
    const [AF_UNIX, AF_INET, AF_VSOCK] = [1, 2, 40]
    const [STREAM, DATAGRAM, NONBLOCK] = [1, 2, 0o4000]
    assert.equal(make(AF_UNIX, STREAM | NONBLOCK), ALLOW)
    assert.equal(make(AF_UNIX, DATAGRAM), EAFNOSUPPORT)
    assert.equal(make(AF_INET, STREAM), ALLOW)
    assert.equal(make(AF_VSOCK, STREAM), EAFNOSUPPORT)
    assert.equal(ask(inspected('socket'), AF_UNIX, STREAM), EAFNOSUPPORT)
  })

  test(`seccompFilter() for ${architecture} allows only pairs of Unix sockets that stay connected`, () => {
    for (const family of [0, 2, 10, 16, 30, 40])
      assert.equal(ask(inspected('socketpair'), family, 1), EAFNOSUPPORT, `family ${family}`)
    for (const kind of [1, 5, 1 | 0x80800])
      assert.equal(ask(inspected('socketpair'), 1, kind), ALLOW)
    for (const kind of [2, 3, 2 | 0x80000])
      assert.equal(ask(inspected('socketpair'), 1, kind), EPERM)
  })
}

test('seccompFilter() refuses set-id modes, leases and reading events, and nothing beside them', () => {
  for (const architecture of ARCHITECTURES) {
    const filter = seccompFilter(architecture)
    const ask = (name: keyof typeof INSPECTED, ...args: number[]) => {
      const number = numberOn(architecture, INSPECTED[name])
      return number === undefined ? undefined : verdict(filter, AUDIT[architecture], number, args)
    }
    const isOld = architecture === 'x64'
    for (const mode of [0o4755, 0o2755, 0o6000]) {
      for (const name of isOld
        ? (['chmod', 'fchmod', 'mkdir', 'creat'] as const)
        : ['fchmod' as const]) {
        assert.equal(ask(name, 0, mode), EPERM, name)
      }
      for (const name of ['fchmodat', 'fchmodat2', 'mkdirat'] as const) {
        assert.equal(ask(name, 0, 0, mode), EPERM, name)
      }
      assert.equal(ask('openat', 0, 0, 0o101, mode), EPERM)
      assert.equal(ask('openat', 0, 0, 0o20_200_002, mode), EPERM)
      assert.equal(ask('openat', 0, 0, 0o2, mode), ALLOW, 'no file is made')
    }
    assert.equal(ask('fchmod', 0, 0o1777), ALLOW)
    assert.equal(ask('openat', 0, 0, 0o101, 0o644), ALLOW)
    assert.equal(ask('fcntl', 0, 1024), EPERM)
    assert.equal(ask('fcntl', 0, 1026), EPERM)
    assert.equal(ask('fcntl', 0, 1030), ALLOW)
    assert.equal(ask('inotify_add_watch', 0, 0, 0x20), EPERM)
    assert.equal(ask('inotify_add_watch', 0, 0, 0xfc6), ALLOW, 'the events of libuv')
    const watching = seccompFilter(architecture, { watchesOpening: true })
    const watch = numberOn(architecture, INSPECTED.inotify_add_watch) ?? assert.fail()
    assert.equal(verdict(watching, AUDIT[architecture], watch, [0, 0, 0x20]), ALLOW)
  }
})

test('seccompFilter() keeps a server from the pages of others', () => {
  for (const architecture of ARCHITECTURES) {
    const filter = seccompFilter(architecture)
    const ask = (name: keyof typeof INSPECTED, ...args: number[]) =>
      verdict(
        filter,
        AUDIT[architecture],
        numberOn(architecture, INSPECTED[name]) ?? assert.fail(),
        args,
      )
    assert.deepEqual([ask('mmap', 0, 0, 0, 0x40022), ask('mmap', 0, 0, 0, 0x22)], [EPERM, ALLOW])
    assert.deepEqual([ask('memfd_create', 0, 4), ask('memfd_create', 0, 3)], [EPERM, ALLOW])
    assert.deepEqual([ask('shmget', 0, 0, 0o5600), ask('shmget', 0, 0, 0o1600)], [EPERM, ALLOW])
    assert.deepEqual([ask('madvise', 0, 0, 12), ask('madvise', 0, 0, 4)], [EPERM, ALLOW])
    for (const advice of [20, 21]) assert.equal(ask('madvise', 0, 0, advice), 0x50000)
    assert.deepEqual([ask('prctl', 62), ask('prctl', 67), ask('prctl', 4)], [EPERM, EPERM, ALLOW])
    const [now, later] = [8, 0].map((flags) => ask('preadv2', 0, 0, 0, 0, 0, flags))
    assert.deepEqual([now, later], [0x0005005f, ALLOW])
    assert.deepEqual([ask('fadvise64', 0, 0, 0, 4), ask('fadvise64', 0, 0, 0, 2)], [0x50000, ALLOW])
  }
})

test('seccompFilter() knows no memory that nobody counts, where no cgroup does', () => {
  for (const architecture of ARCHITECTURES) {
    for (const numbers of Object.values(UNCOUNTED)) {
      const number = numberOn(architecture, numbers) ?? assert.fail()
      const ask = (isUncounted: boolean) =>
        verdict(seccompFilter(architecture, { isUncounted }), AUDIT[architecture], number)
      assert.deepEqual([ask(true), ask(false)], [ENOSYS, ALLOW])
    }
    const ask = (
      isUncounted: boolean,
      numbers: readonly [number, number | null],
      ...args: number[]
    ) =>
      verdict(
        seccompFilter(architecture, { isUncounted }),
        AUDIT[architecture],
        numberOn(architecture, numbers) ?? assert.fail(),
        args,
      )
    const [shared, own, ofFile] = [0x21, 0x22, 0x01]
    for (const flags of [own, ofFile]) {
      assert.equal(ask(true, INSPECTED.mmap, 0, 0, 3, flags), ALLOW)
    }
    assert.equal(ask(true, INSPECTED.mmap, 0, 0, 3, shared), EPERM)
    assert.equal(ask(false, INSPECTED.mmap, 0, 0, 3, shared), ALLOW)
  }
})

test('lastFilter() lets nobody make walls, as a kernel that was built without them', () => {
  for (const architecture of ARCHITECTURES) {
    const ask = (number: number, ...args: number[]) =>
      verdict(lastFilter(architecture), AUDIT[architecture], number, args)
    const { prctl, ...others } = OWN_WALLS
    for (const numbers of Object.values(others)) {
      assert.equal(ask(numberOn(architecture, numbers) ?? assert.fail()), ENOSYS)
    }
    const number = numberOn(architecture, prctl) ?? assert.fail()
    assert.deepEqual([ask(number, 22, 2), ask(number, 38, 1), ask(1)], [EINVAL, ALLOW, ALLOW])
  }
})

test('SANDBOX-4: seccompFilter() gives x32 calls no way around', () => {
  assert.equal(verdict(seccompFilter('x64'), AUDIT.x64, 0x40000000 + 39), ENOSYS)
})

test('seccompFilter() gives the same bytes every time, and these', () => {
  const golden = ARCHITECTURES.map((architecture) => {
    const bytes = seccompFilter(architecture)
    return [bytes.length / 8, createHash('sha256').update(bytes).digest('hex')]
  })
  assert.deepEqual(golden, [
    [191, '15e2d50bc39b0f7837f0a2ca667bb19b0277fd8a3e270ae924331bfa92c004dd'],
    [181, 'dc0d2976d50e8c0634dc8c3fa54fc4d4f01da7ea626e308a6b1d27cd2da8e13b'],
  ])
})
