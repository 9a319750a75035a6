#!/usr/bin/env python3
"""A bad line: carries frames between two network interfaces, delays them, and loses some of them.

usage: wire.py --in DELAY_MS,LOSS --out DELAY_MS,LOSS --ready FILE [--spare ADDRESS] NODE SWITCH

--in is for what goes to the interface NODE, --out for what comes from it. LOSS is a percentage of frames, drawn for each;
100 is a cut in one direction. What comes from or goes to ADDRESS (IPv4) passes as on a good line. FILE is made when the line works. Ends with SIGTERM. Linux and root only; needs nothing but
Python 3, in particular none of the kernel's traffic control.

What a sender hands over in one piece is one frame, up to 64 KB of a stream: it is lost or comes as a whole. Address resolution
is never lost: it needs both ways, and a cut in one direction would soon be one in both.
"""
import argparse
import collections
import random
import select
import socket
import time

SOL_PACKET = 263
PACKET_VNET_HDR = 15
PACKET_OUTGOING = 4
SO_RCVBUFFORCE = 33
ETH_P_ALL = 3
ETH_P_IP = 0x0800
ETH_P_ARP = 0x0806
# Behind the header of the virtual interface and that of Ethernet.
IP_SOURCE = slice(10 + 14 + 12, 10 + 14 + 16)
IP_TARGET = slice(10 + 14 + 16, 10 + 14 + 20)
MOST = 10 + 18 + 65536


class Direction:
    """Frames from one interface to the other, in their order."""

    def __init__(self, source, sink, delay_s, loss, spared):
        self.source, self.sink, self.delay_s, self.loss, self.spared = source, sink, delay_s, loss, spared
        self.waiting = collections.deque()

    def is_spared(self, frame, kind):
        return self.spared is not None and kind == ETH_P_IP and self.spared in (frame[IP_SOURCE], frame[IP_TARGET])

    def take(self):
        while True:
            try:
                frame, address = self.source.recvfrom(MOST)
            except (BlockingIOError, OSError):
                return
            if address[2] == PACKET_OUTGOING:
                continue
            if self.is_spared(frame, address[1]):
                self.forward(frame)
            elif address[1] == ETH_P_ARP or random.random() * 100 >= self.loss:
                self.waiting.append((time.monotonic() + self.delay_s, frame))

    def send_due(self):
        now = time.monotonic()
        while self.waiting and self.waiting[0][0] <= now:
            self.forward(self.waiting.popleft()[1])

    def forward(self, frame):
        try:
            self.sink.send(frame)
        except OSError:
            # A full queue loses frames, as that of a real line does.
            pass

    def due_in(self):
        return max(0, self.waiting[0][0] - time.monotonic()) if self.waiting else None


def attach(interface):
    line = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    # With it go unfinished checksums and pieces that are longer than a packet: what one virtual interface hands to another.
    line.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    line.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
    line.bind((interface, ETH_P_ALL))
    line.setblocking(False)
    return line


def quality(text):
    delay_ms, loss = text.split(",")
    return int(delay_ms) / 1000, int(loss)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--in", dest="inward", type=quality, required=True)
    parser.add_argument("--out", dest="outward", type=quality, required=True)
    parser.add_argument("--ready", required=True)
    parser.add_argument("--spare", type=socket.inet_aton)
    parser.add_argument("node")
    parser.add_argument("switch")
    arguments = parser.parse_args()
    node, switch = attach(arguments.node), attach(arguments.switch)
    directions = [Direction(switch, node, *arguments.inward, arguments.spare),
                  Direction(node, switch, *arguments.outward, arguments.spare)]
    open(arguments.ready, "w").close()
    while True:
        waits = [wait for wait in (direction.due_in() for direction in directions) if wait is not None]
        select.select([node, switch], [], [], min(waits, default=None))
        for direction in directions:
            direction.take()
            direction.send_due()


if __name__ == "__main__":
    main()
