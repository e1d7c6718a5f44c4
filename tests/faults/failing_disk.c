/* A disk that fails or takes the process along, inside write and fsync.

   Preloaded into a process, it counts the calls on files whose name holds "lab.db" once it is armed, and
   lets one of them fail: with an error, with half of the bytes written, or by SIGKILL before, in the middle
   of or after it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITE, SYNC };
enum { EIO_ERROR, FULL, SHORT, KILL_BEFORE, KILL_HALF, KILL_AFTER };

static int armed_kind = -1, left, armed_action, fired;

void fault_arm(int kind, int nth, int action) {
    armed_kind = kind; left = nth; armed_action = action; fired = 0;
}
void fault_disarm(void) { armed_kind = -1; }
int fault_fired(void) { return fired; }

static int hit(int kind, int fd) {
    char link[64], path[4096];
    ssize_t n;
    if (kind != armed_kind || fired) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    if (!strstr(path, "lab.db") || --left) return 0;
    fired = 1;
    return 1;
}

static void die(void) { kill(getpid(), SIGKILL); pause(); }

static ssize_t write_badly(ssize_t (*real)(int, const void *, size_t, off_t), int fd, const void *bytes,
                           size_t n, off_t at) {
    switch (armed_action) {
    case EIO_ERROR: errno = EIO; return -1;
    case FULL: errno = ENOSPC; return -1;
    case SHORT: return real(fd, bytes, n / 2, at);
    case KILL_HALF: real(fd, bytes, n / 2, at); die();
    case KILL_AFTER: real(fd, bytes, n, at);
    }
    die();
    return -1;
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite");
    return hit(WRITE, fd) ? write_badly(real, fd, bytes, n, at) : real(fd, bytes, n, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t n, off_t at) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
    return hit(WRITE, fd) ? write_badly(real, fd, bytes, n, at) : real(fd, bytes, n, at);
}

static int sync_badly(int (*real)(int), int fd) {
    if (armed_action <= SHORT) { errno = armed_action == FULL ? ENOSPC : EIO; return -1; }
    if (armed_action == KILL_AFTER) real(fd);
    die();
    return -1;
}
int fsync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    return hit(SYNC, fd) ? sync_badly(real, fd) : real(fd);
}
int fdatasync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    return hit(SYNC, fd) ? sync_badly(real, fd) : real(fd);
}
