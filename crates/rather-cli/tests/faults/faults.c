// A file layer that fails: loaded into a program by LD_PRELOAD, it counts what the program does to the files below a folder, lets one of
// these operations fail or end the process, and writes down all of them, so that a loss of power can be played back.
//
//   FAULT_DIR   the folder; nothing outside of it is touched
//   FAULT_AT    which operation fails, from 1; 0 or nothing: none
//   FAULT_KIND  enospc, eio, short (a part is written, then eio), full (enospc from here on), before, after, half (the process ends before,
//               after or within the operation), readonly (nothing below the folder can be opened for writing)
//   FAULT_LOG   where operations are written down, with their data

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long operations = 0;
static int record_to = -2;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

// Whether a path is below the folder. The shared memory of SQLite is no file that has to last.
static int ours(const char *path) {
    const char *folder = setting("FAULT_DIR");
    size_t n = strlen(folder), m = strlen(path);
    return n && !strncmp(path, folder, n) && (path[n] == '/' || !path[n]) && !(m > 4 && !strcmp(path + m - 4, "-shm"));
}

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, 4000);
    if (n <= 0) return 0;
    path[n] = 0;
    return ours(path);
}

// An absolute path; the programs name files relative to their working directory.
static int absolute(const char *path, char *to) {
    if (path[0] == '/') snprintf(to, 4096, "%s", path);
    else {
        char folder[2048];
        if (!getcwd(folder, sizeof folder)) return 0;
        if (!strncmp(path, "./", 2)) path += 2;
        snprintf(to, 4096, "%s/%s", folder, path);
    }
    return ours(to);
}

static void note(char what, const char *path, const char *other, long at, const void *data, size_t length) {
    if (record_to == -2) {
        const char *name = setting("FAULT_LOG");
        record_to = *name ? REAL(open64)(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    }
    if (record_to < 0) return;
    char line[8400];
    int n = snprintf(line, sizeof line, "%c\t%s\t%s\t%ld\t%zu\n", what, path, other, at, length);
    struct iovec parts[2] = {{line, n}, {(void *)data, data ? length : 0}};
    if (REAL(writev)(record_to, parts, 2) < 0) _exit(99);
}

enum verdict { GO, FAIL, SHORT, DIE_AFTER, DIE_HALF };

// What happens to the next operation; called with the lock held.
static enum verdict judge(void) {
    long at = atol(setting("FAULT_AT"));
    const char *kind = setting("FAULT_KIND");
    long now = ++operations;
    if (!at) return GO;
    if (!strcmp(kind, "full") && now >= at) { errno = ENOSPC; return FAIL; }
    if (now != at) return GO;
    if (!strcmp(kind, "before")) _exit(77);
    if (!strcmp(kind, "after")) return DIE_AFTER;
    if (!strcmp(kind, "half")) return DIE_HALF;
    if (!strcmp(kind, "short")) return SHORT;
    errno = !strcmp(kind, "enospc") ? ENOSPC : EIO;
    return FAIL;
}

static ssize_t put(int fd, const void *data, size_t length, off_t at, int positioned) {
    char path[4096];
    ssize_t (*whole)(int, const void *, size_t) = REAL(write);
    ssize_t (*placed)(int, const void *, size_t, off64_t) = REAL(pwrite64);
    if (!path_of(fd, path)) return positioned ? placed(fd, data, length, at) : whole(fd, data, length);
    pthread_mutex_lock(&lock);
    if (!positioned) at = (fcntl(fd, F_GETFL) & O_APPEND) ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
    enum verdict verdict = judge();
    ssize_t done = -1;
    if (verdict != FAIL) {
        size_t part = verdict == SHORT || verdict == DIE_HALF ? length / 2 : length;
        done = positioned ? placed(fd, data, part, at) : whole(fd, data, part);
        if (done > 0) note('W', path, "", at, data, done);
        if (verdict == DIE_AFTER || verdict == DIE_HALF) _exit(77);
        if (verdict == SHORT) { errno = EIO; done = -1; }
    }
    int kept = errno;
    pthread_mutex_unlock(&lock);
    errno = kept;
    return done;
}

ssize_t write(int fd, const void *data, size_t length) { return put(fd, data, length, 0, 0); }
ssize_t pwrite(int fd, const void *data, size_t length, off_t at) { return put(fd, data, length, at, 1); }
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) { return put(fd, data, length, at, 1); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
    char path[4096];
    if (!path_of(fd, path)) return REAL(writev)(fd, parts, count);
    ssize_t sum = 0;
    for (int i = 0; i < count; i++) {
        if (!parts[i].iov_len) continue;
        ssize_t n = put(fd, parts[i].iov_base, parts[i].iov_len, 0, 0);
        if (n < 0) return sum ? sum : -1;
        sum += n;
        if ((size_t)n < parts[i].iov_len) break;
    }
    return sum;
}

// An operation that is done or not, about a path.
#define WHOLE(path, what, other, at, call)                            \
    pthread_mutex_lock(&lock);                                        \
    enum verdict verdict = judge();                                   \
    int done = -1;                                                    \
    if (verdict == SHORT) errno = EIO;                                \
    if (verdict == DIE_HALF) _exit(77);                               \
    if (verdict == GO || verdict == DIE_AFTER) {                      \
        done = call;                                                  \
        int kept = errno;                                             \
        if (done >= 0) note(what, path, other, at, NULL, 0);          \
        if (verdict == DIE_AFTER) _exit(77);                          \
        errno = kept;                                                 \
    }                                                                 \
    int result = errno;                                               \
    pthread_mutex_unlock(&lock);                                      \
    errno = result;                                                   \
    return done;

int fsync(int fd) {
    char path[4096];
    if (!path_of(fd, path)) return REAL(fsync)(fd);
    WHOLE(path, 'S', "", 0L, REAL(fsync)(fd))
}

int fdatasync(int fd) {
    char path[4096];
    if (!path_of(fd, path)) return REAL(fdatasync)(fd);
    WHOLE(path, 'S', "", 0L, REAL(fdatasync)(fd))
}

int ftruncate(int fd, off_t length) {
    char path[4096];
    if (!path_of(fd, path)) return REAL(ftruncate64)(fd, length);
    WHOLE(path, 'T', "", (long)length, REAL(ftruncate64)(fd, length))
}

int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }

int rename(const char *from, const char *to) {
    char a[4096], b[4096];
    if (!absolute(from, a) || !absolute(to, b)) return REAL(rename)(from, to);
    WHOLE(a, 'R', b, 0L, REAL(rename)(from, to))
}

int link(const char *from, const char *to) {
    char a[4096], b[4096];
    if (!absolute(from, a) || !absolute(to, b)) return REAL(link)(from, to);
    WHOLE(a, 'L', b, 0L, REAL(link)(from, to))
}

int unlink(const char *name) {
    char path[4096];
    if (!absolute(name, path)) return REAL(unlink)(name);
    WHOLE(path, 'U', "", 0L, REAL(unlink)(name))
}

static int opened(const char *name, int flags, mode_t mode) {
    char path[4096];
    int (*real)(const char *, int, ...) = REAL(open64);
    int writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT;
    if (!writes || !absolute(name, path)) return real(name, flags, mode);
    if (!strcmp(setting("FAULT_KIND"), "readonly")) {
        errno = EROFS;
        return -1;
    }
    int there = access(path, F_OK) == 0;
    if (there && !(flags & O_TRUNC)) return real(name, flags, mode);
    WHOLE(path, there ? 'E' : 'C', "", 0L, real(name, flags, mode))
}

#define MODE(flags)                                   \
    mode_t mode = 0;                                  \
    if (flags & O_CREAT) {                            \
        va_list rest;                                 \
        va_start(rest, flags);                        \
        mode = va_arg(rest, mode_t);                  \
        va_end(rest);                                 \
    }

int open(const char *name, int flags, ...) {
    MODE(flags)
    return opened(name, flags, mode);
}

int open64(const char *name, int flags, ...) {
    MODE(flags)
    return opened(name, flags, mode);
}
