// echo SOCKET SIZE: a minimal server. For each NUL that it reads, it writes SIZE bytes, the last of which is NUL. Serves one
// client at a time, until it is killed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char requests[1 << 16];

int main(int argc, char **argv) {
    if (argc != 3) return 64;
    size_t size = strtoul(argv[2], NULL, 10);
    char *reply = malloc(size);
    memset(reply, 'x', size);
    reply[size - 1] = 0;

    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 8) != 0) {
        perror(argv[1]);
        return 1;
    }
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        ssize_t count;
        while ((count = read(fd, requests, sizeof requests)) > 0) {
            for (ssize_t i = 0; i < count; i++) {
                if (requests[i] != 0) continue;
                for (size_t sent = 0; sent < size;) {
                    ssize_t part = write(fd, reply + sent, size - sent);
                    if (part <= 0) break;
                    sent += part;
                }
            }
        }
        close(fd);
    }
}
