// UserdAPI
