/**
 * `npm run test:machine [-- attacks]`: starts a virtual machine with Debian, systemd, cgroup v2 and Yama, and looks there which limits
 * the Cordon of an ordinary user has; with `attacks`, whether anything breaks out. Root only, since it makes a file system. The
 * machine has no network. It is emulated, which takes minutes, but needs nothing of the processor.
 */
'use strict'
const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const prepare = require('./prepare.cjs')

const FOLDER = '/var/tmp/cordon-machine'
const root = path.join(FOLDER, 'root')
const made = path.join(FOLDER, 'made')
const LONGEST_MS = 45 * 60_000

const PACKAGES = ['qemu-system-x86', 'debootstrap'].map((name, at) => ({
  name,
  present: () => fs.existsSync(['/usr/bin/qemu-system-x86_64', '/usr/sbin/debootstrap'][at]),
}))
const INSIDE = [
  ['systemd', 'systemd-sysv', 'dbus', 'dbus-user-session', 'libpam-systemd', 'procps', 'login'],
  ['bubblewrap', 'perl', 'util-linux', 'linux-image-cloud-amd64', 'initramfs-tools'],
].flat()

const SERVICE = `[Unit]
After=systemd-user-sessions.service dbus.service
[Service]
Type=oneshot
ExecStart=/bin/sh /srv/cordon/test/machine/inside.sh $WORDS
EnvironmentFile=/srv/words
ExecStopPost=/bin/systemctl poweroff --force
StandardOutput=file:/dev/ttyS1
StandardError=inherit
TimeoutStartSec=infinity
[Install]
WantedBy=multi-user.target
`

/** Lines that `inside.sh` must print: how Cordon is started, and what limits it has then without a word of its user's. */
const WANTED = [
  'login-that-ends: watchdog, processor not shared',
  'service-of-the-machine: watchdog, processor not shared',
  'service-of-the-machine-delegated: cgroup2, processor shared',
  'terminal-of-the-desktop: cgroup2, processor shared',
  'login-that-lingers: cgroup2, processor shared',
  'own-service: cgroup2, processor shared',
]

/** The mirror and the release that this machine itself uses. */
function source() {
  const asked = ['indextargets', '--format', '$(REPO_URI) $(CODENAME)', 'Identifier: Packages']
  const lines = spawnSync('apt-get', asked, { encoding: 'utf8' }).stdout.split('\n')
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(fs.readFileSync('/etc/os-release', 'utf8'))?.[1]
  const mirror = lines.map((line) => line.split(' ')).find(([, name]) => name === release)?.[0]
  if (!mirror)
    throw new prepare.SetupError('apt-get names no mirror for the release of this machine')
  return [release, mirror]
}

/** Root runs programs from there, so a folder that another user made first is refused. */
function takeFolder() {
  fs.mkdirSync(FOLDER, { recursive: true, mode: 0o700 })
  const { uid, mode } = fs.lstatSync(FOLDER)
  const isOurs =
    uid === 0 && (mode & fs.constants.S_IFMT) === fs.constants.S_IFDIR && !(mode & 0o022)
  if (!isOurs) throw new prepare.SetupError(`${FOLDER} is not a folder of root's alone; remove it`)
}

async function makeSystem() {
  if (fs.existsSync(made)) return
  fs.rmSync(root, { recursive: true, force: true })
  const include = `--include=${INSIDE.join(',')}`
  const [release, mirror] = source()
  const args = ['--variant=minbase', include, release, root, mirror]
  await prepare.step('Making a Debian with systemd (two minutes)', 'debootstrap', args)
  const write = (file, text) => fs.writeFileSync(path.join(root, file), text)
  write('etc/fstab', '/dev/vda / ext4 rw 0 1\n/dev/vdb /srv ext4 rw 0 2\n')
  write('etc/systemd/system/inside.service', SERVICE)
  for (const command of ['useradd -m -u 1000 owner', 'systemctl enable inside.service']) {
    await prepare.step(command, 'chroot', [root, ...command.split(' ')])
  }
  fs.writeFileSync(made, '')
}

/** This checkout with its packages, and the words of the command. */
async function pack(words) {
  const stage = path.join(FOLDER, 'stage')
  const cordon = path.join(stage, 'cordon')
  fs.rmSync(stage, { recursive: true, force: true })
  fs.mkdirSync(cordon, { recursive: true })
  fs.writeFileSync(path.join(stage, 'words'), `WORDS=${words.join(' ')}\n`)
  const parts = ['src', 'test', 'bin', 'node_modules', 'package.json']
  const from = parts.map((part) => path.join(prepare.root, part))
  await prepare.step('Copying this checkout', 'cp', ['-a', ...from, cordon])
}

async function image(name, folder, size) {
  const args = ['-q', '-F', '-d', folder, path.join(FOLDER, name), size]
  await prepare.step(`Making the disk ${name}`, 'mkfs.ext4', args)
}

function boot() {
  const file = (start) =>
    path.join(
      root,
      'boot',
      fs.readdirSync(path.join(root, 'boot')).find((one) => one.startsWith(start)),
    )
  const disk = (name) => ['-drive', `file=${path.join(FOLDER, name)},if=virtio,format=raw`]
  const args = [
    // Without protection keys: Node ends now and then where they are emulated.
    ['-accel', 'tcg,thread=multi', '-cpu', 'max,pku=off', '-m', '6G', '-smp', '2', '-nic', 'none'],
    ['-kernel', file('vmlinuz'), '-initrd', file('initrd.img'), '-no-reboot', '-display', 'none'],
    ['-append', 'console=ttyS0 root=/dev/vda rw quiet', ...disk('system.img'), ...disk('work.img')],
    ['-serial', `file:${path.join(FOLDER, 'console')}`, '-serial', 'stdio', '-monitor', 'none'],
  ].flat()
  const options = { stdio: ['ignore', 'pipe', 'inherit'], timeout: LONGEST_MS }
  const machine = spawn('qemu-system-x86_64', args, options)
  let text = ''
  machine.stdout.on('data', (chunk) => {
    text += chunk
    process.stdout.write(chunk)
  })
  return new Promise((resolve) => {
    machine.on('close', () => resolve(text.replaceAll('\r', '')))
  })
}

/** Lines that the machine should have printed, and did not. */
function missing(text, hasAttacks) {
  const lines = text.split('\n')
  const all = lines.filter((line) => /^blocked (\d+)\/\1 \(user\)/.test(line)).length
  return [
    ...[...WANTED, 'ended'].filter((line) => !lines.includes(line)),
    ...(hasAttacks && all !== 2 ? ['blocked N/N (user), twice'] : []),
  ]
}

void prepare.main(async () => {
  const words = process.argv.slice(2)
  if (process.getuid?.() !== 0) {
    prepare.say('error: Only root can make the file system of a machine')
    return 5
  }
  await prepare.ensureDependencies()
  const absent = await prepare.ensureSystemPackages(PACKAGES)
  if (absent.length > 0) {
    prepare.say(`error: Cannot start a machine without: apt-get install ${absent.join(' ')}`)
    return 5
  }
  takeFolder()
  await makeSystem()
  await pack(words)
  await image('system.img', root, '3G')
  await image('work.img', path.join(FOLDER, 'stage'), '3G')
  const lacking = missing(await boot(), words.includes('attacks'))
  for (const line of lacking) prepare.say(`error: It did not print: ${line}`)
  return lacking.length > 0 ? 1 : 0
})
