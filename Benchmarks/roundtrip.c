// roundtrip SOCKET REQUEST IN_FLIGHT COUNT: calls over a Unix socket as a minimal client. REQUEST is a file; a reply ends with
// NUL. Prints the microseconds of a call: with one in flight the median, otherwise the total time divided by COUNT.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static char replies[1 << 20];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void send_all(int fd, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t sent = write(fd, bytes, size);
        if (sent <= 0) fail("write");
        bytes += sent;
        size -= sent;
    }
}

// Waits for at least one reply; returns the number of new replies.
static long receive(int fd) {
    long count = 0;
    while (count == 0) {
        ssize_t size = read(fd, replies, sizeof replies);
        if (size <= 0) fail("read");
        for (char *at = replies; (at = memchr(at, 0, replies + size - at)); at++) count++;
    }
    return count;
}

static int ascending(const void *a, const void *b) {
    return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b);
}

int main(int argc, char **argv) {
    if (argc != 5) return 64;
    long in_flight = atol(argv[3]), count = atol(argv[4]);
    static char request[1 << 16];
    FILE *file = fopen(argv[2], "r");
    if (!file) fail(argv[2]);
    size_t size = fread(request, 1, sizeof request, file);
    char *window = malloc(size * in_flight);
    for (long i = 0; i < in_flight; i++) memcpy(window + i * size, request, size);

    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail(argv[1]);

    double *times = malloc(sizeof *times * count), start = now();
    if (in_flight == 1) {
        for (long i = 0; i < count; i++) {
            double sent = now();
            send_all(fd, request, size);
            receive(fd);
            times[i] = now() - sent;
        }
        qsort(times, count, sizeof *times, ascending);
        printf("%.3f\n", times[count / 2]);
        return 0;
    }
    long sent = in_flight < count ? in_flight : count, received = 0;
    send_all(fd, window, size * sent);
    while (received < count) {
        long came = receive(fd);
        received += came;
        if (came > count - sent) came = count - sent;
        send_all(fd, window, size * came);
        sent += came;
    }
    printf("%.3f\n", (now() - start) / count);
}
