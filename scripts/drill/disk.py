#!/usr/bin/env python3
"""A slow disk: shows a directory at another place, where each write and sync takes longer than it has to.

usage: disk.py DIRECTORY PLACE DELAY_FILE

DELAY_FILE holds the delay in milliseconds, 0 for none, and may change at any time. Ends when PLACE is unmounted, or with
SIGTERM. Linux only; needs root and Python 3 with fusepy (on Debian: apt-get install -y python3-fusepy).
"""
import errno
import os
import sys
import time

try:
    import fusepy as fuse
except ImportError:
    import fuse


class SlowDisk(fuse.Operations):
    def __init__(self, root, delay_file):
        self.root, self.delay_file = root, delay_file

    def _wait(self):
        with open(self.delay_file) as file:
            delay_ms = int(file.read() or 0)
        if delay_ms:
            time.sleep(delay_ms / 1000)

    def _real(self, path):
        return self.root + path

    def write(self, path, data, offset, fh):
        self._wait()
        return os.pwrite(fh, data, offset)

    def fsync(self, path, datasync, fh):
        self._wait()
        (os.fdatasync if datasync else os.fsync)(fh)

    def fsyncdir(self, path, datasync, fh):
        self._wait()
        directory = os.open(self._real(path), os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def open(self, path, flags):
        return os.open(self._real(path), flags)

    def create(self, path, mode, fi=None):
        return os.open(self._real(path), os.O_RDWR | os.O_CREAT, mode)

    def release(self, path, fh):
        os.close(fh)

    def flush(self, path, fh):
        return 0

    def truncate(self, path, length, fh=None):
        os.truncate(self._real(path) if fh is None else fh, length)

    def getattr(self, path, fh=None):
        found = os.fstat(fh) if fh else os.lstat(self._real(path))
        names = ("st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid", "st_blocks")
        return {name: getattr(found, name) for name in names}

    def statfs(self, path):
        found = os.statvfs(self._real(path))
        names = ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_favail", "f_ffree", "f_files", "f_flag", "f_frsize", "f_namemax")
        return {name: getattr(found, name) for name in names}

    def access(self, path, mode):
        if not os.access(self._real(path), mode):
            raise fuse.FuseOSError(errno.EACCES)

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self._real(path))]

    def mkdir(self, path, mode):
        os.mkdir(self._real(path), mode)

    def rmdir(self, path):
        os.rmdir(self._real(path))

    def unlink(self, path):
        os.unlink(self._real(path))

    def rename(self, old, new):
        os.rename(self._real(old), self._real(new))

    def link(self, target, source):
        os.link(self._real(source), self._real(target))

    def symlink(self, target, source):
        os.symlink(source, self._real(target))

    def readlink(self, path):
        return os.readlink(self._real(path))

    def chmod(self, path, mode):
        os.chmod(self._real(path), mode)

    def chown(self, path, uid, gid):
        os.chown(self._real(path), uid, gid)

    def utimens(self, path, times=None):
        os.utime(self._real(path), times)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    root, place, delay_file = (os.path.abspath(word) for word in sys.argv[1:])
    # Several threads, or one slow write would hold up all other requests.
    fuse.FUSE(
        SlowDisk(root, delay_file), place, foreground=True, nothreads=False, big_writes=True, fsname="tidemark-drill")


if __name__ == "__main__":
    main()
