// UserdService
