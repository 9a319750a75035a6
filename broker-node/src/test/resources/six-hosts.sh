#!/usr/bin/env bash
# Six machines as network namespaces, each with an address and an sshd of its own, and a seventh for the operator, on a
# network that nothing else is on.
#
# usage: six-hosts.sh up DIR NAME | down DIR NAME | unplug NAME N | plug NAME N
#
# The namespaces are NAME-0, the operator's, and NAME-1 to NAME-6 with the addresses 10.99.0.1 to .6. DIR gets the keys.
set -euo pipefail

die() { echo "six-hosts.sh: $*" >&2; exit 1; }

up() {
  local dir=$1 name=$2 n
  [[ $(id -u) -eq 0 ]] || die "network namespaces and sshd need root"
  command -v ip >/dev/null || die "there is no ip; on Debian: apt-get install -y iproute2"
  [[ -x /usr/sbin/sshd ]] || die "there is no sshd; on Debian: apt-get install -y openssh-server"
  # Where sshd locks itself in.
  mkdir -p "$dir" /run/sshd
  ssh-keygen -q -t ed25519 -N '' -f "$dir/host"
  ssh-keygen -q -t ed25519 -N '' -f "$dir/operator"
  ip netns add "$name-0" || die "network namespaces cannot be made here"
  ip -n "$name-0" link set lo up
  ip -n "$name-0" link add hub type bridge
  ip -n "$name-0" addr add 10.99.0.254/24 dev hub
  ip -n "$name-0" link set hub up
  for n in 1 2 3 4 5 6; do
    ip netns add "$name-$n"
    ip -n "$name-0" link add "to-$n" type veth peer name eth0 netns "$name-$n"
    ip -n "$name-0" link set "to-$n" master hub up
    ip -n "$name-$n" link set lo up
    ip -n "$name-$n" addr add "10.99.0.$n/24" dev eth0
    ip -n "$name-$n" link set eth0 up
    mkdir "$dir/home-$n"
    cat >"$dir/sshd-$n.conf" <<CONF
ListenAddress 10.99.0.$n
Port 2222
HostKey $dir/host
PidFile $dir/sshd-$n.pid
AuthorizedKeysFile $dir/operator.pub
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
SetEnv HOME=$dir/home-$n
CONF
    ip netns exec "$name-$n" /usr/sbin/sshd -f "$dir/sshd-$n.conf" -E "$dir/sshd-$n.log"
    echo "[10.99.0.$n]:2222 $(cut -d ' ' -f 1,2 "$dir/host.pub")" >>"$dir/known_hosts"
  done
}

down() {
  local name=$2 n
  for n in 0 1 2 3 4 5 6; do
    [[ -e /run/netns/$name-$n ]] || continue
    # All that is left in there is ours.
    ip netns pids "$name-$n" | xargs -r kill -KILL 2>/dev/null || true
    ip netns del "$name-$n"
  done
}

case ${1:-} in
  up | down) [[ $# -eq 3 ]] || die "usage"; "$@" ;;
  unplug) ip -n "$2-0" link set "to-$3" down ;;
  plug) ip -n "$2-0" link set "to-$3" up ;;
  *) die "usage" ;;
esac
